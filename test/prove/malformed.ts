// Ten thousand malformed requests: each is answered quickly, with an id, and never with a 5xx; and
// what of them reaches the engine neither stops it nor makes it grow.
import { parseArgs } from 'node:util'
import type { Config } from '../../src/config/load.ts'
import { createClient, type Client } from '../api/client.ts'
import { exchangeRaw, headerOf } from '../api/raw-socket.ts'
import { startService } from '../harness/service.ts'
import { mutateBody } from './malformed/bodies.ts'
import { startCappedEngine, type CappedEngine } from './malformed/capped-engine.ts'
import { mutateHead } from './malformed/heads.ts'
import { createRandom, type Random } from '../harness/random.ts'
import { MODEL, VALID_REQUESTS } from './malformed/requests.ts'

const SENT = 10_000
/** The share that goes over a connection of its own, byte by byte as the case has it. */
const HEADS_SHARE = 0.25
/** Below the engine's slots: what a mutation leaves valid must find a free one. */
const AT_ONCE = 8
const TIMEOUT_MS = 1_000
const FAULTS_SHOWN = 20
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

/** What is judged, however it was sent. Status 0 is a connection that ended without an answer. */
type Seen = {
  readonly name: string
  readonly status: number
  readonly id: string | undefined
  readonly body: string
  readonly elapsedMs: number
  readonly mayEndSilently: boolean
  readonly mayLackBody: boolean
  /** More than one answer where one request was sent. */
  readonly answeredTwice: boolean
}

type Tally = {
  answers: number
  serverErrors: number
  slowestMs: number
  faults: number
  readonly statuses: Map<number, number>
}

/** The demo model with room for a few words and an output of one token. */
function malformedConfig(config: Config, { url }: CappedEngine): Config {
  const [model] = config.models
  if (model === undefined) throw new Error('the demo configuration has no model')
  const small = { context_length: 512, max_output_tokens: 1, default_parameters: { max_tokens: 1 } }
  const engines = config.engines.map((engine) => ({ ...engine, url }))
  return { ...config, engines, models: [{ ...model, ...small, id: MODEL }] }
}

async function sendBody(client: Client, random: Random): Promise<Seen> {
  const { name, body, headers } = mutateBody(random)
  const startedMs = performance.now()
  const answer = await client.chat(undefined, { body, headers })
  return {
    name,
    status: answer.status,
    id: answer.headers['x-request-id'],
    body: answer.text,
    elapsedMs: performance.now() - startedMs,
    mayEndSilently: false,
    mayLackBody: false,
    answeredTwice: false,
  }
}

async function sendHead(address: URL, key: string, random: Random): Promise<Seen> {
  const { name, bytes, end } = mutateHead(key, random)
  const answer = await exchangeRaw(address, bytes, { end, timeoutMs: 2 * TIMEOUT_MS })
  return {
    name,
    status: answer.status,
    id: headerOf(answer, 'x-request-id'),
    body: answer.body,
    elapsedMs: answer.elapsedMs,
    // Whoever ends a connection half-way cannot expect an answer on it.
    mayEndSilently: end && answer.closed,
    mayLackBody: name.startsWith('HEAD'),
    answeredTwice: answer.rest !== '' && !SEVERAL.has(name),
  }
}

function faultOf(seen: Seen): string | undefined {
  const { status, id, body } = seen
  if (seen.elapsedMs > TIMEOUT_MS) return 'took too long'
  if (status === 0) return seen.mayEndSilently ? undefined : 'no answer'
  if (status >= 500) return 'a server error'
  if (!ID.test(id ?? '')) return 'no id'
  if (seen.answeredTwice) return 'answered twice'
  if (seen.mayLackBody) return undefined
  if (status < 400) return isWhole(body) ? undefined : 'an answer that is not whole'
  return isErrorBody(body) ? undefined : 'no error body'
}

function isWhole(body: string): boolean {
  return body.endsWith('data: [DONE]\n\n') || body.endsWith('}') || body.endsWith('0\r\n\r\n')
}

function isErrorBody(body: string): boolean {
  try {
    const { error } = JSON.parse(body) as { error: Record<string, unknown> }
    const members = ['code', 'message', 'param', 'type']
    return Object.keys(error).toSorted().join() === members.join()
  } catch {
    return false
  }
}

function judge(seen: Seen, tally: Tally): void {
  const { status, elapsedMs, name } = seen
  if (status !== 0) tally.answers += 1
  if (status >= 500) tally.serverErrors += 1
  tally.slowestMs = Math.max(tally.slowestMs, elapsedMs)
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
  const fault = faultOf(seen)
  if (fault === undefined) return
  tally.faults += 1
  if (tally.faults > FAULTS_SHOWN) return
  const ms = Math.round(elapsedMs)
  console.log(`${name}: ${fault}: ${status} in ${ms} ms: ${seen.body.slice(0, 300)}`)
}

function engineFault(engine: CappedEngine): string | undefined {
  if (engine.hasEnded()) return 'the engine has ended'
  const rssMb = engine.rssMbMax()
  return rssMb > ENGINE_RSS_MB_MAX ? `the engine has grown to ${rssMb} MB` : undefined
}

/** What is honest is still answered: none of what came before holds the engine up. */
async function answersStill(client: Client): Promise<boolean> {
  const startedMs = performance.now()
  const { status } = await client.chat(VALID_REQUESTS[0])
  return status === 200 && performance.now() - startedMs < TIMEOUT_MS
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { seed: { type: 'string' } } })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
  console.log(`seed ${seed}; repeat with --seed ${seed}`)
  await using engine = await startCappedEngine()
  await using service = await startService((config) => malformedConfig(config, engine))
  const { key } = await service.createCaller()
  await using client = createClient(service, key)
  const address = new URL(service.apiRoot)
  const statuses = new Map<number, number>()
  const tally: Tally = { answers: 0, serverErrors: 0, slowestMs: 0, faults: 0, statuses }
  let sent = 0
  const sendNext = async () => {
    while (sent < SENT && engineFault(engine) === undefined) {
      // A seed for each request, so that the order in which they are answered changes nothing.
      const random = createRandom(seed + sent)
      sent += 1
      const isHead = random.chance(HEADS_SHARE)
      judge(await (isHead ? sendHead(address, key, random) : sendBody(client, random)), tally)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendNext))
  const stopped = engineFault(engine)
  if (stopped !== undefined) console.log(`${stopped} after ${sent} requests`)
  const answered = stopped === undefined && (await answersStill(client))
  if (!answered) console.log('the engine does not answer any more')
  const counts = [...statuses].toSorted(([a], [b]) => a - b)
  console.log(`statuses ${counts.map(([status, count]) => `${status}:${count}`).join(' ')}`)
  const { answers, serverErrors, slowestMs, faults } = tally
  console.log(
    `malformed: sent=${sent} answers=${answers} server_errors=${serverErrors} ` +
      `slowest_ms=${Math.round(slowestMs)} engine_rss_mb_max=${engine.rssMbMax()} seed=${seed}`,
  )
  return faults === 0 && answers > 0 && answered ? 0 : 1
}

process.exitCode = await main()
