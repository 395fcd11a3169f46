// A mixed run on a real engine: the ledger sums to the engine's own counters, to the token.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  COUNTER_NAMES,
  readCounters,
  type CountedEngine,
  type EngineCounters,
} from '../../src/engines/adapters/read-counters.ts'
import { startLlamaServer, type LlamaServer } from '../harness/llama-server.ts'
import { createRandom, type Random } from '../harness/random.ts'
import { waitUntil } from '../harness/measure.ts'
import { exchange, openExchange } from './metering/client.ts'
import { judgeSums, readRows, type Row } from './metering/ledger.ts'
import { startMetered, type Metered } from './metering/metered.ts'
import { REAL_KINDS, endingRequest, realRequest } from './metering/real-requests.ts'
import { modelOn } from './metering/world.ts'

const SECONDS = 20
const SOAK_SECONDS = 150
const ENGINE = 'real'
const SLOTS = 8
const LANES = 8
const RECONCILE_SECONDS = 2
/** A client that leaves does so within this time, some before the first token. */
const STAY_MS_MAX = 400
/**
 * What an engine makes until it notices that nobody listens is never told to us: a few tokens for
 * each that was left, and the whole prompt if it was left before the engine's first word.
 */
const UNREAD_TOKENS_MAX = 32
const TIMEOUT_MS = 60_000

type Scene = {
  readonly metered: Metered
  readonly llama: LlamaServer
  readonly random: Random
  readonly engine: CountedEngine
}

type Sums = { readonly requests: number; readonly prompt: number; readonly completion: number }

type Phase = { readonly ledger: Sums; readonly engine: Sums; readonly left: readonly Row[] }

let seeds = 0

/** A whole answer, of any kind that there is. */
async function stay({ metered, random }: Scene): Promise<boolean> {
  seeds += 1
  const request = endingRequest(random.pick(REAL_KINDS), modelOn(ENGINE), seeds, random)
  const { ending } = await exchange(metered.target, request)
  return ending === 'whole'
}

/** The same, but nobody waits for its end. */
async function leave({ metered, random }: Scene): Promise<boolean> {
  seeds += 1
  const client = openExchange(
    metered.target,
    realRequest(random.pick(REAL_KINDS), modelOn(ENGINE), seeds),
  )
  await pause(random.between(0, STAY_MS_MAX))
  client.leave()
  await client.ended
  return true
}

/** Runs lanes for a time and compares what the ledger and the engine counted meanwhile. */
async function compare(
  scene: Scene,
  seconds: number,
  act: (scene: Scene) => Promise<boolean>,
): Promise<Phase & { readonly refused: number }> {
  const { metered, engine, llama } = scene
  const known = new Set((await readRows(metered.postgres.pool)).map(({ id }) => id))
  const before = await readCounters(engine)
  const endMs = performance.now() + seconds * 1000
  let refused = 0
  const lane = async () => {
    while (performance.now() < endMs) if (!(await act(scene))) refused += 1
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  await waitUntil(async () => (await llama.slotsInUse()) === 0, TIMEOUT_MS)
  await metered.settled()
  const after = await readCounters(engine)
  const rows = (await readRows(metered.postgres.pool)).filter(({ id }) => !known.has(id))
  const left = rows.filter(({ outcome }) => outcome !== 'completed')
  return { ledger: sumsOf(rows), engine: made(before, after), left, refused }
}

/** llama-server counts the prompt tokens that it processed, and not those it had in its cache. */
function sumsOf(rows: readonly Row[]): Sums {
  return {
    requests: rows.length,
    prompt: rows.reduce((sum, { prompt, cached }) => sum + prompt - cached, 0),
    completion: rows.reduce((sum, { completion }) => sum + completion, 0),
  }
}

function made(before: EngineCounters, after: EngineCounters): Sums {
  return {
    requests: 0,
    prompt: after.promptTokens - before.promptTokens,
    completion: after.completionTokens - before.completionTokens,
  }
}

/** What the worker has found by itself meanwhile, of the usage log and of the engine. */
async function readFindings({ metered }: Scene) {
  const { rows } = await metered.postgres.pool.query<{
    source: string
    name: string
    ledger_records: number
    difference: number
  }>('select source, name, ledger_records, difference from reconciliations')
  return rows
}

/** Waits until reconciliation has seen all of the run, and says where it found a difference. */
async function judgeJob(scene: Scene, requests: number): Promise<string[]> {
  const tookMs = await waitUntil(async () => {
    const found = await readFindings(scene)
    const all = found.filter(({ source, name }) => source === 'usage_log' && name === 'all')
    return all.reduce((sum, row) => sum + row.ledger_records, 0) === requests
  }, TIMEOUT_MS)
  if (tookMs === Infinity) return ['reconciliation has not seen the whole run']
  const found = await readFindings(scene)
  return found
    .filter(({ source, difference }) => source === 'usage_log' && difference !== 0)
    .map((row) => JSON.stringify(row))
}

/** What the engine counted and the ledger did not. */
type Unread = { readonly prompt: number; readonly completion: number }

function unreadIn({ engine, ledger }: Phase): Unread {
  const prompt = engine.prompt - ledger.prompt
  return { prompt, completion: engine.completion - ledger.completion }
}

/** Only those that were left can be the reason, and each for no more than its share. */
function isBounded({ prompt, completion }: Unread, { left }: Phase): boolean {
  const unheard = left.filter(({ basis }) => basis === 'none').length
  const promptMax = left.reduce((most, row) => Math.max(most, row.prompt), 0)
  return (
    prompt >= 0 &&
    prompt <= unheard * promptMax &&
    completion >= 0 &&
    completion <= left.length * UNREAD_TOKENS_MAX
  )
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, soak: { type: 'boolean', default: false } },
  })
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32))
  const seconds = values.soak ? SOAK_SECONDS : SECONDS
  console.log(`seed ${seed}; repeat with --seed ${seed}`)
  await using llama = await startLlamaServer(SLOTS)
  await using metered = await startMetered(
    [{ name: ENGINE, url: llama.url, slots: SLOTS, model_name: 'pebble' }],
    { worker: { health_port: 0, poll_seconds: 0.1, reconcile_seconds: RECONCILE_SECONDS } },
  )
  const counters = COUNTER_NAMES['llama-server']
  const engine = { name: ENGINE, url: llama.url, apiKey: undefined, counters }
  const scene: Scene = { metered, llama, random: createRandom(seed), engine }
  const whole = await compare(scene, seconds, stay)
  const mixed = await compare(scene, seconds, (each) =>
    each.random.chance(0.5) ? leave(each) : stay(each),
  )
  const faults = await judgeJob(scene, whole.ledger.requests + mixed.ledger.requests)
  faults.push(...(await judgeSums(metered.postgres.pool)))
  for (const fault of faults) console.log(fault)
  const exact = unreadIn(whole)
  const unread = unreadIn(mixed)
  const refused = whole.refused + mixed.refused
  console.log(
    `reconcile: whole=${whole.ledger.requests} tokens=${whole.ledger.completion} ` +
      `prompt_difference=${exact.prompt} completion_difference=${exact.completion} ` +
      `mixed=${mixed.ledger.requests} mixed_tokens=${mixed.ledger.completion} ` +
      `left=${mixed.left.length} left_prompt_unread=${unread.prompt} ` +
      `left_completion_unread=${unread.completion} refused=${refused} ` +
      `wrong=${faults.length} seed=${seed}`,
  )
  const toTheToken = exact.prompt === 0 && exact.completion === 0 && whole.left.length === 0
  return toTheToken && isBounded(unread, mixed) && refused + faults.length === 0 ? 0 : 1
}

process.exitCode = await main()
