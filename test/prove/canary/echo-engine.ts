// An engine that repeats what it was sent wherever an engine can say anything. It runs in the
// proof's own process and writes nothing down.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type EchoEngine = AsyncDisposable & {
  readonly url: string
  /** Generations that were asked of it, and those whose prompt held the mark. */
  counts(): { asked: number; marked: number }
}

type Speak = (prompt: string, response: ServerResponse) => void | Promise<void>

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ finish_reason: finish, index: 0, delta }]
  return `data: ${JSON.stringify({ choices, object: 'chat.completion.chunk' })}\n\n`
}

const COUNTS = { prompt_tokens: 9, completion_tokens: 4 }
const USAGE = `data: ${JSON.stringify({ choices: [], usage: COUNTS })}\n\n`
const END = `${chunk({}, 'stop')}${USAGE}data: [DONE]\n\n`

function begin(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function opening(prompt: string): string {
  return (
    chunk({ role: 'assistant', content: null }) +
    chunk({ reasoning_content: `I read ${prompt}` }) +
    chunk({ content: `You said ${prompt}` })
  )
}

function refuse(status: number): Speak {
  return (prompt, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-prompt': 'echoed' })
    response.end(JSON.stringify({ error: { code: status, message: `cannot do ${prompt}` } }))
  }
}

/** Waits until it was sent, so that the fault comes after it and not instead of it. */
async function send(response: ServerResponse, text: string): Promise<void> {
  await new Promise<void>((sent) => {
    response.write(text, () => sent())
  })
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate)
}

export const MODES = {
  answers: (prompt, response) => {
    begin(response).end(opening(prompt) + END)
  },
  calls: (prompt, response) => {
    const call = { name: `run-${prompt.slice(0, 40)}`, arguments: JSON.stringify({ prompt }) }
    const tool_calls = [{ index: 0, id: `call-${prompt.slice(0, 40)}`, function: call }]
    begin(response).end(
      chunk({ tool_calls }) + chunk({}, 'tool_calls') + USAGE + 'data: [DONE]\n\n',
    )
  },
  fails: refuse(500),
  refuses: refuse(400),
  'rejects-key': refuse(401),
  'is-busy': refuse(503),
  'errs-first': (prompt, response) => {
    begin(response).end(`data: ${JSON.stringify({ error: { message: prompt, code: prompt } })}\n\n`)
  },
  'errs-later': async (prompt, response) => {
    await send(begin(response), opening(prompt))
    response.end(`data: ${JSON.stringify({ error: { message: `at ${prompt}` } })}\n\n`)
  },
  'garbles-first': (prompt, response) => {
    begin(response).end(`data: {"choices" ${prompt}\n    at ${prompt}\n\n`)
  },
  'garbles-later': async (prompt, response) => {
    await send(begin(response), opening(prompt))
    response.end(`data: ${prompt}\n\n`)
  },
  'sends-page': (prompt, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${prompt}</html>`)
  },
  'breaks-http': (prompt, response) => {
    response.socket?.end(`HTTP/1.1 200 ${prompt}\r\nbad header ${prompt}\r\n\r\n${prompt}`)
  },
  cuts: async (prompt, response) => {
    await send(begin(response), opening(prompt))
    response.socket?.resetAndDestroy()
  },
  hangs: async (prompt, response) => {
    await send(begin(response), opening(prompt))
  },
} as const satisfies Record<string, Speak>

export type Mode = keyof typeof MODES

export async function startEchoEngine(mark: string): Promise<EchoEngine> {
  let asked = 0
  let marked = 0
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await readText(request)
    if (request.url !== '/v1/chat/completions') {
      response.end(JSON.stringify({ input_tokens: 9 }))
      return
    }
    asked += 1
    if (text.includes(mark)) marked += 1
    const { model } = JSON.parse(text) as { model: Mode }
    await MODES[model](promptIn(text, mark), response)
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: () => ({ asked, marked }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The first canary in what it was sent, and what follows. */
function promptIn(text: string, mark: string): string {
  const at = Math.max(0, text.indexOf(mark))
  return text.slice(at, at + 200).replaceAll(/[^ -~]/g, ' ')
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}
