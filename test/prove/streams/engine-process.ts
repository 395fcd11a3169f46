// A process that holds scripted engines, apart from the client and the api, so that what each of
// them sees is not delayed by the work of the others. It is forked by `engines.ts`.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { clockMs } from '../../harness/measure.ts'

/** What a prompt tells the engine that gets it. */
export type Script = {
  readonly id: string
  /**
   * - `quick`: the whole answer at once
   * - `talk`: a word every `everyMs`, `words` times or without end
   * - `hold`: a word, and the rest when it is released
   * - `silent`: nothing until it is released
   * - `die`: the engine dies, the first one that gets it or, as `poison`, every one
   */
  readonly mode: 'quick' | 'talk' | 'hold' | 'silent' | 'die' | 'poison'
  readonly everyMs?: number
  readonly words?: number
  /** How far an engine gets before it dies. */
  readonly dies?: 'asked' | 'begun' | 'opened'
}

export type Order =
  | { readonly order: 'open'; readonly engine: number }
  | { readonly order: 'kill'; readonly engine: number }
  | { readonly order: 'revive'; readonly engine: number }
  | { readonly order: 'release'; readonly engine: number }

export type Report =
  | { readonly report: 'open'; readonly engine: number; readonly port: number }
  | { readonly report: 'seen'; readonly id: string; readonly engine: number }
  | { readonly report: 'left'; readonly id: string; readonly atMs: number }
  | { readonly report: 'died'; readonly id: string; readonly engine: number }

type Running = { readonly engine: number; readonly finish: () => void }
type Listener = { server: Server; readonly port: number; readonly sockets: Set<Socket> }

const listeners = new Map<number, Listener>()
const running = new Map<ServerResponse, Running>()
/** Prompts that have brought their engine down, so that the next engine answers them. */
const fatal = new Set<string>()
let deaths = 0

function report(message: Report): void {
  process.send?.(message)
}

function chunk(delta: object, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  return `data: ${JSON.stringify({ choices })}\n\n`
}

const ROLE = chunk({ role: 'assistant', content: null })
const WORD = chunk({ content: 'word ' })
const USAGE = { choices: [], usage: { prompt_tokens: 10, completion_tokens: 4 } }
const END = `${chunk({}, 'stop')}data: ${JSON.stringify(USAGE)}\n\ndata: [DONE]\n\n`

async function readScript(request: IncomingMessage): Promise<Script> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  const { messages } = JSON.parse(Buffer.concat(parts).toString()) as {
    messages: { content: string }[]
  }
  return JSON.parse(messages.at(-1)?.content ?? '') as Script
}

async function answer(engine: number, request: IncomingMessage, response: ServerResponse) {
  const script = await readScript(request)
  const { id, mode } = script
  report({ report: 'seen', id, engine })
  response.once('close', () => {
    running.delete(response)
    if (!response.writableFinished) report({ report: 'left', id, atMs: clockMs() })
  })
  running.set(response, { engine, finish: () => finish(response) })
  if (mode === 'poison' || (mode === 'die' && !fatal.has(id))) {
    fatal.add(id)
    await begin(response, script.dies ?? 'asked')
    die(engine, id)
  } else if (mode === 'quick' || mode === 'die') {
    response.writeHead(200).end(`${ROLE}${WORD}${END}`)
  } else if (mode === 'hold') response.writeHead(200).write(`${ROLE}${WORD}`)
  else if (mode === 'talk') await talk(response, script)
}

/** Lets its reader see how far it came, before it dies. */
async function begin(response: ServerResponse, dies: NonNullable<Script['dies']>): Promise<void> {
  if (dies === 'asked') return
  response.writeHead(200)
  if (dies === 'begun') response.flushHeaders()
  else response.write(ROLE)
  await pause(2)
}

async function talk(response: ServerResponse, { everyMs = 100, words = Infinity }: Script) {
  response.writeHead(200).write(ROLE)
  for (let word = 0; word < words && !response.destroyed; word += 1) {
    response.write(WORD)
    // Streams that began together do not go on in step.
    await pause(word === 0 ? everyMs * Math.random() : everyMs)
  }
  if (!response.destroyed) response.end(END)
}

function finish(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200)
  response.end(`${ROLE}${WORD}${END}`)
}

/** As the kernel does it for a process that was killed: some connections are reset, some ended. */
function die(engine: number, id: string): void {
  const listener = listeners.get(engine)
  if (listener === undefined) return
  deaths += 1
  listener.server.close()
  for (const socket of listener.sockets) {
    if (deaths % 2 === 0) socket.resetAndDestroy()
    else socket.destroy()
  }
  report({ report: 'died', id, engine })
}

async function listen(engine: number, port: number): Promise<void> {
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    // An engine that dies takes the requests with it that it was still reading.
    answer(engine, request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen({ port, host: '127.0.0.1', backlog: 2_048 })
  await once(server, 'listening')
  const bound = (server.address() as AddressInfo).port
  listeners.set(engine, { server, port: bound, sockets })
  report({ report: 'open', engine, port: bound })
}

async function obey(order: Order): Promise<void> {
  if (order.order === 'open') await listen(order.engine, 0)
  else if (order.order === 'kill') die(order.engine, '')
  else if (order.order === 'revive')
    await listen(order.engine, listeners.get(order.engine)?.port ?? 0)
  else for (const each of running.values()) if (each.engine === order.engine) each.finish()
}

process.on('message', (order: Order) => void obey(order))
process.on('disconnect', () => process.exit(0))
