import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Config } from '../../../src/config/load.ts'
import { chunk, DONE, ending, recordedEvents, ROLE, usage } from './events.ts'
import { begin, flush, startFakeEngine, type Asked, type FakeEngine } from './server.ts'

/** One engine that runs a named script for each generation. */
export type ScriptedEngine = FakeEngine & {
  /** Generations of a script that have begun and neither ended nor been left by their client. */
  runningOf(name: ScriptName): number
  /** The body and headers of the last generation of each script. */
  readonly lastBody: ReadonlyMap<ScriptName, Readonly<Record<string, unknown>>>
  readonly lastHead: ReadonlyMap<ScriptName, IncomingHttpHeaders>
}

export type ScriptName = keyof typeof SCRIPTS

/** The slots of each scripted engine. Few, so that a test can take all of them. */
export const SCRIPTED_SLOTS = 2

/** The script `pours` may be asked for more than any buffer on the way can hold. */
const POURED = { context_length: 10_000_000, max_output_tokens: 1_000_000 }

/** Both ends run in one process, so a few turns of the event loop let the other end read. */
const TURNS_TO_BE_READ = 10

const ENDLESS_PART = 'x'.repeat(65_536)

const REASONING = chunk({ reasoning_content: 'Thinking.' })
const TEXT = chunk({ content: 'Some text' })
const OPENING = ROLE + REASONING + TEXT
const COUNTS = { prompt: 10, completion: 4 }
const FINISH = chunk({}, 'stop')
const USAGE = usage(COUNTS)
const END = ending(COUNTS)
const ENGINE_ERROR = 'data: {"error":{"code":500,"message":"SECRET of the engine"}}\n\n'

function refuse(status: number, message: string, type = 'server_error') {
  return ({ response }: Asked) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { code: status, message, type } }))
  }
}

function say(...events: readonly string[]) {
  return ({ response }: Asked) => void begin(response).end(events.join(''))
}

function replay(transcript: string) {
  return say(...recordedEvents(transcript))
}

/** Sends the rest only after the beginning was read. */
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
  'sends-comments': say(': ping\n\n', ROLE, ': ping\n\n', TEXT, END),
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

/** The model's name chooses the script, so one engine serves all of them at once. */
export async function startScriptedEngine(): Promise<ScriptedEngine> {
  const running = new Map<ServerResponse, ScriptName>()
  const lastBody = new Map<ScriptName, Readonly<Record<string, unknown>>>()
  const lastHead = new Map<ScriptName, IncomingHttpHeaders>()
  const engine = await startFakeEngine(async (asked) => {
    const { body, headers, response } = asked
    const name = body['model'] as ScriptName
    lastBody.set(name, body)
    lastHead.set(name, headers)
    running.set(response, name)
    response.once('close', () => running.delete(response))
    await SCRIPTS[name](asked)
  })
  const runningOf = (name: ScriptName) =>
    [...running.values()].filter((each) => each === name).length
  return Object.assign(engine, { runningOf, lastBody, lastHead })
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
  const kind = { kind: 'llama-server', prompt_cache: 'auto' } as const
  return {
    ...config,
    engines: [
      ...config.engines,
      ...names.map((name) => ({ name, ...kind, url, slots: SCRIPTED_SLOTS, model_name: name })),
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
