import { isObject } from '../../../src/lib/is-object.ts'
import { chunk, ending } from '../../harness/fake-engine/events.ts'
import {
  begin,
  startFakeEngine,
  type Asked,
  type FakeEngine,
} from '../../harness/fake-engine/server.ts'

/** An inference server of exact capacity, which knows some models and salts of its cache. */
export type Server = AsyncDisposable & {
  readonly engine: FakeEngine
  /** The names under which it serves its model. */
  readonly names: Set<string>
  /** Requests that came while every slot was taken. */
  readonly excess: number
  /** Requests whose cache was filled by another organization. */
  readonly foreign: number
  /** The time that slots were in use, summed over the slots. */
  busyMs(): number
}

/** What a request tells the server, as its last message. */
export type Work = { readonly ms: number; readonly organization: string }

export const SLOTS = 4

export async function startServer(names: readonly string[]): Promise<Server> {
  const known = new Set(names)
  const owners = new Map<string, string>()
  let [running, excess, foreign, busyMs, changedMs] = [0, 0, 0, 0, performance.now()]
  const change = (more: number) => {
    const nowMs = performance.now()
    busyMs += running * (nowMs - changedMs)
    changedMs = nowMs
    running += more
  }
  const noteCache = ({ body }: Asked, { organization }: Work) => {
    const salt = String(body['cache_salt'])
    const owner = owners.get(salt) ?? organization
    owners.set(salt, owner)
    if (owner !== organization) foreign += 1
  }
  const answer = (asked: Asked) => {
    const { body, response } = asked
    if (!known.has(String(body['model'])))
      return void response.writeHead(404).end('{"error":{"code":404,"message":"unknown model"}}')
    const work = workOf(body)
    if (work === undefined) return void begin(response).end(ending({ prompt: 1, completion: 1 }))
    noteCache(asked, work)
    if (running >= SLOTS) excess += 1
    change(1)
    begin(response).write(chunk({ content: 'Work. ' }))
    const timer = setTimeout(() => response.end(ending({ prompt: 10, completion: 1 })), work.ms)
    // `end` has handed over the last bytes by then, so the client cannot be faster.
    response.once('close', () => clearTimeout(timer))
    response.once('close', () => change(-1))
  }
  const page = (path: string) => (path === '/metrics' ? metricsOf(running) : undefined)
  const engine = await startFakeEngine(answer, { page })
  return {
    engine,
    names: known,
    get excess() {
      return excess
    },
    get foreign() {
      return foreign
    },
    busyMs() {
      change(0)
      return busyMs
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}

function metricsOf(running: number): string {
  return [
    `vllm:num_requests_running{engine="0",model_name="any"} ${running}.0`,
    'vllm:num_requests_waiting{engine="0",model_name="any"} 0.0',
    '',
  ].join('\n')
}

/** Undefined for requests that are not of this proof, such as a check of the engine. */
function workOf(body: Asked['body']): Work | undefined {
  const messages = body['messages'] as readonly { readonly content: string }[]
  try {
    const work: unknown = JSON.parse(messages.at(-1)?.content ?? '')
    return isObject(work) ? (work as unknown as Work) : undefined
  } catch {
    return undefined
  }
}
