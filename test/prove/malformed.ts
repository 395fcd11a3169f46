// Ten thousand malformed requests are answered quickly, with an id, never with a 5xx.
// Those that reach the engine neither stop it nor make it grow.
// covers: src/http/** src/contract/** src/lib/**
import type { Config } from '../../src/config/load.ts'
import { createClient, type Client } from '../api/client.ts'
import { exchangeRaw, headerOf } from '../api/raw-socket.ts'
import { runProof } from '../harness/proof.ts'
import { createRandom, type Random } from '../harness/figures/random.ts'
import { startService } from '../harness/processes/service.ts'
import { mutateBody } from './malformed/bodies.ts'
import { startCappedEngine, type CappedEngine } from './malformed/capped-engine.ts'
import { mutateHead } from './malformed/heads.ts'
import { MODEL, VALID_REQUESTS } from './malformed/requests.ts'

const SENT = 10_000
/** The share that goes over a connection of its own, byte by byte as the case has it. */
const HEADS_SHARE = 0.25
/** Below the engine's slots: a request that a mutation leaves valid must find a free one. */
const AT_ONCE = 8
const TIMEOUT_MS = 1_000
const GENERATION_TIMEOUT_MS = 10_000
/** Twice what the demo engine needs with all of its slots in use. */
const ENGINE_RSS_MB_MAX = 600

/** Heads that are more than one request, each with an answer of its own. */
const SEVERAL = new Set([
  'two requests at once',
  'a request and rubbish',
  'a length that is too short',
  'no length',
])

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** One exchange, however it was sent. Status 0 is a connection that ended without an answer. */
type Exchange = {
  readonly name: string
  readonly status: number
  readonly id: string | undefined
  readonly body: string
  readonly elapsedMs: number
  readonly mayEndSilently?: boolean
  readonly mayLackBody?: boolean
  /** More than one answer where one request was sent. */
  readonly answeredTwice?: boolean
}

/** The demo model with room for a few words and an output of one token. */
function malformedConfig(config: Config, { url }: CappedEngine): Config {
  const [model] = config.models
  if (model === undefined) throw new Error('the demo configuration has no model')
  const small = { context_length: 512, max_output_tokens: 1, default_parameters: { max_tokens: 1 } }
  const engines = config.engines.map((engine) => ({ ...engine, url }))
  return { ...config, engines, models: [{ ...model, ...small, id: MODEL }] }
}

async function sendBody(client: Client, random: Random): Promise<Exchange> {
  const { name, body, headers } = mutateBody(random)
  const startedMs = performance.now()
  const answer = await client.chat(undefined, { body, headers })
  const elapsedMs = performance.now() - startedMs
  const id = answer.headers['x-request-id']
  return { name, status: answer.status, id, body: answer.text, elapsedMs }
}

async function sendHead(address: URL, key: string, random: Random): Promise<Exchange> {
  const { name, bytes, end } = mutateHead(key, random)
  const answer = await exchangeRaw(address, bytes, { end, timeoutMs: 2 * TIMEOUT_MS })
  return {
    ...answer,
    name,
    id: headerOf(answer, 'x-request-id'),
    // A client that ends its connection half-way cannot expect an answer on it.
    mayEndSilently: end && answer.closed,
    mayLackBody: name.startsWith('HEAD'),
    answeredTwice: answer.rest !== '' && !SEVERAL.has(name),
  }
}

function findFailure(exchange: Exchange): string | undefined {
  const { status, id, body } = exchange
  // A 200 waits for a real generation, which takes as long as the engine does.
  const limitMs = exchange.status === 200 ? GENERATION_TIMEOUT_MS : TIMEOUT_MS
  if (exchange.elapsedMs > limitMs) return 'took too long'
  if (status === 0) return exchange.mayEndSilently === true ? undefined : 'no answer'
  if (status >= 500) return 'a server error'
  if (!ID.test(id ?? '')) return 'no id'
  if (exchange.answeredTwice === true) return 'answered twice'
  if (exchange.mayLackBody === true) return undefined
  if (status < 400) return isWhole(body) ? undefined : 'an answer that is not whole'
  return isErrorBody(body) ? undefined : 'no error body'
}

function isWhole(body: string): boolean {
  return body.endsWith('data: [DONE]\n\n') || body.endsWith('}') || body.endsWith('0\r\n\r\n')
}

function isErrorBody(body: string): boolean {
  try {
    const { error } = JSON.parse(body) as { error: Record<string, unknown> }
    return Object.keys(error).toSorted().join() === 'code,message,param,type'
  } catch {
    return false
  }
}

function findEngineFailure(engine: CappedEngine): string | undefined {
  if (engine.hasEnded()) return 'the engine has ended'
  const rssMb = engine.rssMbMax()
  return rssMb > ENGINE_RSS_MB_MAX ? `the engine has grown to ${rssMb} MB` : undefined
}

/** Whether a valid request is still answered: none of the others blocks the engine. */
async function isServing(client: Client): Promise<boolean> {
  const startedMs = performance.now()
  const { status } = await client.chat(VALID_REQUESTS[0])
  return status === 200 && performance.now() - startedMs < TIMEOUT_MS
}

await runProof('malformed', async (run) => {
  await using engine = await startCappedEngine()
  await using service = await startService((config) => malformedConfig(config, engine))
  const { key } = await service.createCaller()
  await using client = createClient(service, key)
  const address = new URL(service.apiRoot)
  const statuses = new Map<number, number>()
  let sent = 0
  let slowestMs = 0
  const sendNext = async () => {
    while (sent < SENT && findEngineFailure(engine) === undefined) {
      // A seed for each request, so that the order in which they are answered changes nothing.
      const random = createRandom(run.seed + sent)
      sent += 1
      const isHead = random.chance(HEADS_SHARE)
      const sending = isHead ? sendHead(address, key, random) : sendBody(client, random)
      const exchange = await sending
      const { status, name, elapsedMs, body } = exchange
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      slowestMs = Math.max(slowestMs, elapsedMs)
      const failure = findFailure(exchange)
      const answer = `${status} in ${Math.round(elapsedMs)} ms: ${body.slice(0, 300)}`
      if (failure !== undefined) run.fail(`${name}: ${failure}: ${answer}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendNext))
  const stopped = findEngineFailure(engine)
  if (stopped !== undefined) run.fail(`${stopped} after ${sent} requests`)
  else if (!(await isServing(client))) run.fail('the engine does not answer any more')
  const counts = [...statuses].toSorted(([a], [b]) => a - b)
  console.log(`statuses ${counts.map(([status, count]) => `${status}:${count}`).join(' ')}`)
  const count = (holds: (status: number) => boolean) =>
    counts.reduce((sum, [status, each]) => sum + (holds(status) ? each : 0), 0)
  const answers = count((status) => status !== 0)
  if (answers === 0) run.fail('there was no answer')
  return {
    sent,
    answers,
    server_errors: count((status) => status >= 500),
    slowest_ms: Math.round(slowestMs),
    engine_rss_mb_max: engine.rssMbMax(),
  }
})
