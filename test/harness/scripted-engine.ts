// An engine that misbehaves on demand. It speaks llama-server's dialect and exists only for faults
// that the real engine does not produce when asked; whatever the real one can show is tested there.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Config } from '../../src/config/load.ts'

/** What a script sees of a generation that it is to answer. */
export type Asked = { readonly body: Record<string, unknown>; readonly response: ServerResponse }

export type ScriptedEngine = AsyncDisposable & {
  readonly url: string
  /** Generations of a script that have begun and neither ended nor been left by their client. */
  runningOf(name: ScriptName): number
  /** The last generation that was asked of each script. */
  readonly lastBody: ReadonlyMap<ScriptName, Record<string, unknown>>
  /** The head that came with it. */
  readonly lastHead: ReadonlyMap<ScriptName, IncomingMessage['headers']>
  /** Bytes that this engine has handed to its sockets, over all generations. */
  bytesWritten(): number
}

export type ScriptName = keyof typeof SCRIPTS

const TRANSCRIPTS = new URL('../../demo-model/transcripts/', import.meta.url)

/** The slots of each scripted engine. Small, so that a test can take all of them. */
export const SCRIPTED_SLOTS = 2

/** So much may be asked of the script that pours that no buffer on the way could hold it. */
const POURED = { context_length: 10_000_000, max_output_tokens: 1_000_000 }

/** What a scripted engine says that every prompt has. */
const PROMPT_TOKENS = 10

/** Both ends run in one process here, so a few turns let the other end read for certain. */
const TURNS_TO_BE_READ = 10

const ENDLESS_PART = 'x'.repeat(65_536)

/** The events of a recorded stream, as they were sent. */
export function recordedEvents(transcript: string): string[] {
  const text = readFileSync(new URL(`${transcript}.txt`, TRANSCRIPTS), 'utf8')
  return [...text.matchAll(/^\[ *[\d.]+\] (data: .*)$/gm)].map((match) => `${match[1]}\n\n`)
}

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ finish_reason: finish, index: 0, delta }]
  return `data: ${JSON.stringify({ choices, object: 'chat.completion.chunk' })}\n\n`
}

const DONE = 'data: [DONE]\n\n'
const ROLE = chunk({ role: 'assistant', content: null })
const REASONING = chunk({ reasoning_content: 'Thinking.' })
const TEXT = chunk({ content: 'Some text' })
const OPENING = ROLE + REASONING + TEXT
const FINISH = chunk({}, 'stop')
const ENGINE_ERROR = 'data: {"error":{"code":500,"message":"SECRET of the engine"}}\n\n'
const COUNTS = { prompt_tokens: PROMPT_TOKENS, completion_tokens: 4 }
const USAGE = `data: ${JSON.stringify({ choices: [], usage: COUNTS })}\n\n`

function refuse(status: number, message: string, type = 'server_error') {
  return ({ response }: Asked) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { code: status, message, type } }))
  }
}

function begin(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function say(...events: readonly string[]) {
  return ({ response }: Asked) => {
    begin(response).end(events.join(''))
  }
}

function replay(transcript: string) {
  return ({ response }: Asked) => {
    begin(response).end(recordedEvents(transcript).join(''))
  }
}

/**
 * Waits until what was written has left, so that the fault comes after it and not instead of it.
 */
async function flush(response: ServerResponse, text: string): Promise<void> {
  await new Promise<void>((sent) => {
    response.write(text, () => sent())
  })
}

/** Says the rest only once the beginning was read, which on loopback takes a turn of the loop. */
function sayThen(first: string, ...rest: readonly string[]) {
  return async ({ response }: Asked) => {
    await flush(begin(response), first)
    await turns()
    response.end(rest.join(''))
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS_TO_BE_READ; turn += 1) await new Promise(setImmediate)
}

/** Writes as fast as its reader takes it, until the reader leaves. */
async function pour(response: ServerResponse, text: string): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  while (!response.destroyed) {
    if (!response.write(text)) {
      const drained = await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
      if (drained === undefined) return
    }
    // A turn of the event loop each, so that others can do something meanwhile.
    await new Promise(setImmediate)
  }
}

const SCRIPTS = {
  'replays-text': replay('27-stream-usage'),
  'replays-tools': replay('41-tool-parallel-stream'),
  'replays-length': replay('28-stream-length'),
  'replays-utf8': replay('29-stream-utf8'),
  'calls-without-reasoning': say(
    ...recordedEvents('36-tool-required-stream').filter((event) => !event.includes('reasoning')),
  ),
  'splits-bytes': async ({ response }: Asked) => {
    begin(response)
    for (const byte of Buffer.from(recordedEvents('29-stream-utf8').join('')))
      response.write(Buffer.of(byte))
    await flush(response, '')
    response.end()
  },
  'finishes-with-text': say(ROLE, REASONING, chunk({ content: 'Some text' }, 'stop'), USAGE, DONE),
  // All of a recorded stream, and then the connection stays open without the end marker.
  'never-says-done': async ({ response }: Asked) => {
    const events = recordedEvents('27-stream-usage').filter((event) => event !== DONE)
    await flush(begin(response), events.join(''))
  },
  'sends-comments': say(': ping\n\n', ROLE, ': ping\n\n', TEXT, FINISH, USAGE, DONE),
  'filters-content': say(OPENING, chunk({}, 'content_filter'), USAGE, DONE),
  'rejects-key': refuse(401, 'Invalid API Key', 'authentication_error'),
  'forbids-key': refuse(403, 'Forbidden', 'authentication_error'),
  busy: refuse(503, 'Loading model', 'unavailable_error'),
  throttles: refuse(429, 'Slow down', 'unavailable_error'),
  fails: refuse(500, 'SECRET of the engine'),
  'refuses-request': refuse(400, 'SECRET of the engine', 'invalid_request_error'),
  'refuses-context': refuse(400, 'too long', 'exceed_context_size_error'),
  'refuses-schema': refuse(400, 'failed to parse grammar', 'invalid_request_error'),
  'sends-garbage': say('data: {"choices"\n\n'),
  'sends-page': ({ response }: Asked) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>It works!</html>')
  },
  'resets-first': ({ response }: Asked) => void response.socket?.resetAndDestroy(),
  'closes-first': ({ response }: Asked) => void response.socket?.end(),
  'ends-empty': say(),
  'errs-first': say(ENGINE_ERROR, DONE),
  'errs-later': sayThen(OPENING, ENGINE_ERROR, DONE),
  'garbles-later': sayThen(OPENING, 'data: {"choices":[{"delta":{"content":7}}]}\n\n', DONE),
  'cuts-stream': async ({ response }: Asked) => {
    await flush(begin(response), OPENING)
    await turns()
    response.socket?.resetAndDestroy()
  },
  'ends-early': sayThen(OPENING),
  'ends-after-finish': sayThen(OPENING, FINISH, USAGE),
  'marks-without-finish': sayThen(OPENING, DONE),
  'talks-after-finish': sayThen(OPENING, FINISH, TEXT, USAGE, DONE),
  aborts: sayThen(OPENING, chunk({}, 'abort'), USAGE, DONE),
  'never-ends-event': ({ response }: Asked) =>
    pour(begin(response), `${TEXT.slice(0, 20)}${ENDLESS_PART}`),
  'says-nothing': () => undefined,
  'stops-talking': async ({ response }: Asked) => {
    await flush(begin(response), OPENING)
  },
  pours: async ({ response }: Asked) => {
    await flush(begin(response), OPENING)
    // Long pieces, because short ones of one read become a single shorter event.
    await pour(response, chunk({ content: ENDLESS_PART }))
  },
} as const satisfies Record<string, (asked: Asked) => void | Promise<void>>

/** Which script runs is decided by the model's name, so one engine serves all of them at once. */
export async function startScriptedEngine(): Promise<ScriptedEngine> {
  const running = new Map<ServerResponse, ScriptName>()
  const lastBody = new Map<ScriptName, Record<string, unknown>>()
  const lastHead = new Map<ScriptName, IncomingMessage['headers']>()
  const sockets = new Set<Socket>()
  let bytesOfClosed = 0
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      bytesOfClosed += socket.bytesWritten
    })
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request)
    if (request.url === '/v1/chat/completions/input_tokens') {
      response.end(JSON.stringify({ input_tokens: PROMPT_TOKENS }))
      return
    }
    const name = body['model'] as ScriptName
    lastBody.set(name, body)
    lastHead.set(name, request.headers)
    running.set(response, name)
    response.once('close', () => running.delete(response))
    await SCRIPTS[name]({ body, response })
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    runningOf: (name) => [...running.values()].filter((each) => each === name).length,
    lastBody,
    lastHead,
    bytesWritten: () =>
      [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, bytesOfClosed),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      if (server.listening) await once(server, 'close')
    },
  }
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
}

/** The id of the model that is served by one script. */
export function scriptedModel(name: ScriptName): string {
  return `scripted/${name}`
}

/** Adds a model for every script, each on an engine of its own with its own slots. */
export function withScripts(config: Config, { url }: ScriptedEngine): Config {
  const names = Object.keys(SCRIPTS) as ScriptName[]
  const [model] = config.models
  if (model === undefined) throw new Error('the configuration has no model to follow')
  const kind = 'llama-server' as const
  return {
    ...config,
    engines: [
      ...config.engines,
      ...names.map((name) => ({ name, kind, url, slots: SCRIPTED_SLOTS, model_name: name })),
    ],
    models: [
      ...config.models,
      ...names.map((name) => {
        const large = name === 'pours' ? POURED : {}
        return { ...model, ...large, id: scriptedModel(name), engines: [name] }
      }),
    ],
  }
}
