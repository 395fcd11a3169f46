// An engine that does what a test tells it to. It exists only for failures and measurements that a
// real engine does not produce on demand; everything else is tested on a real llama-server.
import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { request as undiciRequest } from 'undici'

/** A generation that the engine is asked for. */
export type Asked = {
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: IncomingHttpHeaders
  readonly response: ServerResponse
}

export type Answer = (asked: Asked) => void | Promise<void>

/** What the engine answers to a GET of a path, such as its metrics; undefined to respond 404. */
export type Page = (path: string) => string | undefined

/** The prompt tokens of a request; undefined to respond 500. */
export type CountPrompt = (body: Asked['body']) => number | undefined | Promise<number | undefined>

export type FakeEngine = AsyncDisposable & {
  readonly url: string
  readonly port: number
  /** Generations that have begun and neither ended nor been left by their client. */
  readonly running: number
  /** Bytes handed to its sockets so far. */
  bytesWritten(): number
  /** Closes the listener and all connections, as the kernel does for a killed process. */
  die(): void
  /** Listens again on the same port. */
  revive(): Promise<void>
}

const GENERATION_PATH = '/v1/chat/completions'
const COUNT_PATH = '/v1/chat/completions/input_tokens'
const PROMPT_TOKENS = 10
/** Proofs open hundreds of connections at once. */
const BACKLOG = 2_048
const KEEP_ALIVE_MS = 60_000

type FakeEngineOptions = {
  readonly promptTokens?: number | CountPrompt | undefined
  readonly page?: Page | undefined
  readonly host?: string
  /** A real engine that gets all requests but generations, such as counts. */
  readonly others?: string
}

/** `answer` gets every generation; `promptTokens` is every prompt's count; other paths are 404. */
export async function startFakeEngine(
  answer: Answer,
  { promptTokens = PROMPT_TOKENS, page, host = '127.0.0.1', others }: FakeEngineOptions = {},
): Promise<FakeEngine> {
  const sockets = new Set<Socket>()
  let running = 0
  let bytesOfClosed = 0
  let deaths = 0

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isOther = others !== undefined && request.url !== GENERATION_PATH
    if (isOther) return passOn(request, response, others)
    if (request.method !== 'POST') {
      const text = page?.(request.url ?? '')
      return void response.writeHead(text === undefined ? 404 : 200).end(text)
    }
    const body = await readJson(request)
    if (request.url === COUNT_PATH) return respondCount(response, body, promptTokens)
    running += 1
    response.once('close', () => (running -= 1))
    await answer({ body, headers: request.headers, response })
  }

  async function listen(port: number) {
    const created = createServer((request, response) => {
      // A dying engine takes the requests with it that it was still reading.
      handle(request, response).catch(() => response.destroy())
    })
    created.keepAliveTimeout = KEEP_ALIVE_MS
    created.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        sockets.delete(socket)
        bytesOfClosed += socket.bytesWritten
      })
    })
    created.listen({ port, host, backlog: BACKLOG })
    await once(created, 'listening')
    return created
  }

  let server = await listen(0)
  const { port } = server.address() as AddressInfo
  const die = () => {
    deaths += 1
    server.close()
    for (const socket of sockets) {
      if (deaths % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
  }
  return {
    url: `http://${host}:${port}`,
    port,
    get running() {
      return running
    },
    bytesWritten: () => sumOf(sockets, bytesOfClosed),
    die,
    revive: async () => void (server = await listen(port)),
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      const closed = once(server, 'close')
      die()
      await closed
    },
  }
}

function sumOf(sockets: ReadonlySet<Socket>, before: number): number {
  return [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, before)
}

async function respondCount(
  response: ServerResponse,
  body: Asked['body'],
  promptTokens: number | CountPrompt,
): Promise<void> {
  const tokens = typeof promptTokens === 'number' ? promptTokens : await promptTokens(body)
  if (tokens === undefined) response.writeHead(500).end()
  else response.end(JSON.stringify({ input_tokens: tokens }))
}

/** Keeps no connection open: an engine closes idle ones at any time. */
async function passOn(request: IncomingMessage, response: ServerResponse, to: string) {
  const headers = { 'content-type': 'application/json' }
  const what = request.method === 'POST' ? { method: 'POST', body: request } : { method: 'GET' }
  const answer = await undiciRequest(`${to}${request.url}`, { ...what, headers, reset: true })
  response.writeHead(answer.statusCode, answer.headers as OutgoingHttpHeaders)
  await pipeline(answer.body, response)
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
}

/** Starts the answer: a stream of events. */
export function begin(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

/** Resolves when the text has been handed to the kernel, so that what follows comes after it. */
export async function flush(response: ServerResponse, text: string): Promise<void> {
  await new Promise<void>((sent) => {
    response.write(text, () => sent())
  })
}
