// A mixed run on a real engine: usage records sum to the engine's own counters, to the token.
// One of three workers reconciles, and corrects funds that were spoiled under load.
// engines: llama-server vllm sglang
// covers: src/worker/** src/store/ledger/** src/inference/track-usage.ts
import { setTimeout as pause } from 'node:timers/promises'
import { COUNTER_NAMES } from '../../src/engines/adapters/read-counters.ts'
import {
  endingRequest,
  endlessRequest,
  REQUEST_KINDS,
} from '../harness/clients/demo-model-requests.ts'
import { modelOn } from '../harness/environment.ts'
import { startRealEngine, type RealEngine } from '../harness/engines/real-engine.ts'
import { timeUntil, waitUntil } from '../harness/figures/measure.ts'
import { startMetered, waitUntilPosted, type Metered } from '../harness/load/metered.ts'
import {
  countReconciliations,
  findWrongSums,
  readPosted,
  sumRecords,
  type PostedRecord,
} from '../harness/seed/posted-usage.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { exchange, openExchange } from '../harness/clients/usage-client.ts'

const SECONDS = 20
const SOAK_SECONDS = 150
const ENGINE = 'real'
const SLOTS = 8
const CLIENTS = 8
const RECONCILE_SECONDS = 2
/** Added to what the caller has spent and reserved, in micro-units. */
const SPOILED_BY = 1_000_000
/** A client that leaves does so within this time, some before the first token. */
const STAY_MS_MAX = 400
/**
 * Tokens that an engine makes before it notices that its client has left are never reported: a few
 * for each such client. The prompt of one that left before the first token is billed whole; the
 * engine counts it only if it completed it, and not what it had in its cache.
 */
const UNREPORTED_TOKENS_MAX = 32
const TIMEOUT_MS = 60_000
/** Some runs of reconciliation, on a busy machine. */
const CORRECTED_MS_MAX = 15_000

type Setting = {
  readonly run: ProofRun
  readonly metered: Metered
  readonly engine: RealEngine
}

let seeds = 0

/** Reads a whole answer, of any kind. */
async function stay({ run: { random, fail }, metered }: Setting): Promise<void> {
  seeds += 1
  const kind = random.pick(REQUEST_KINDS)
  const request = endingRequest(kind, modelOn(ENGINE), seeds, random)
  const { complete, status } = await exchange(metered.target, request)
  if (!complete) fail(`an answer of kind ${kind} is not complete: ${status}`)
}

/** Leaves before the end of an answer. */
async function leave({ run: { random }, metered }: Setting): Promise<void> {
  seeds += 1
  const request = endlessRequest(random.pick(REQUEST_KINDS), modelOn(ENGINE), seeds)
  const client = openExchange(metered.target, request)
  // pacing: a client leaves at any moment of its answer.
  await pause(random.between(0, STAY_MS_MAX))
  client.leave()
  await client.ended
}

type Phase = {
  readonly records: readonly PostedRecord[]
  /** Records of clients that left. */
  readonly left: readonly PostedRecord[]
  readonly tokens: number
  /** Tokens that the engine counted and the records do not. */
  readonly unreported: { readonly prompt: number; readonly completion: number }
}

/** Runs clients for a time and compares the records of that time with the engine's counters. */
async function compare(
  setting: Setting,
  seconds: number,
  act: (setting: Setting) => Promise<void>,
): Promise<Phase> {
  const { metered, engine } = setting
  const { pool } = metered.postgres
  const earlier = new Set((await readPosted(pool)).map(({ id }) => id))
  const before = await engine.counters()
  const endMs = performance.now() + seconds * 1000
  const runClient = async () => {
    while (performance.now() < endMs) await act(setting)
  }
  await Promise.all(Array.from({ length: CLIENTS }, runClient))
  await waitUntil('the engine to be idle', async () => (await engine.inUse()) === 0, TIMEOUT_MS)
  await waitUntilPosted(metered.valkey)
  const after = await engine.counters()
  const records = (await readPosted(pool)).filter(({ id }) => !earlier.has(id))
  const tokens = records.reduce((sum, { completion }) => sum + completion, 0)
  // llama-server counts the prompt tokens that it processed, without those from its cache.
  const { countsCached } = COUNTER_NAMES[engine.settings.kind]
  const uncounted = (cached: number) => (countsCached ? 0 : cached)
  const processed = records.reduce((sum, one) => sum + one.prompt - uncounted(one.cached), 0)
  return {
    records,
    left: records.filter(({ outcome }) => outcome !== 'completed'),
    tokens,
    unreported: {
      prompt: after.promptTokens - before.promptTokens - processed,
      completion: after.completionTokens - before.completionTokens - tokens,
    },
  }
}

/** Waits until the worker's reconciliation has seen all requests; it must find no difference. */
async function judgeReconciliation({ run, metered }: Setting, requests: number): Promise<void> {
  const readFindings = async () => {
    const { rows } = await metered.postgres.pool.query<{
      name: string
      ledger_records: number
      difference: number
    }>(`select name, ledger_records, difference from reconciliations where source = 'usage_log'`)
    return rows
  }
  const isSeen = async () => {
    const all = (await readFindings()).filter(({ name }) => name === 'all')
    return all.reduce((sum, row) => sum + row.ledger_records, 0) === requests
  }
  if ((await timeUntil(isSeen, TIMEOUT_MS)) === null)
    run.fail('reconciliation has not seen the whole run')
  for (const row of await readFindings()) if (row.difference !== 0) run.fail(JSON.stringify(row))
}

/** Adds to the caller's funds what was neither spent nor reserved, in the middle of a phase. */
async function spoilFunds({ metered }: Setting, afterMs: number): Promise<void> {
  // time is under test: the funds change in the middle of a phase.
  await pause(afterMs)
  for (const field of ['spent', 'reserved'])
    await metered.valkey.call('HINCRBY', [await fundsKey(metered), field, SPOILED_BY])
}

async function fundsKey({ valkey }: Metered): Promise<string> {
  const [key = ''] = (await valkey.call('KEYS', ['*:funds:*'])) as string[]
  return key
}

/** The caller has spent what its records cost, and reserved nothing. */
async function judgeFunds({ run, metered }: Setting): Promise<void> {
  const key = await fundsKey(metered)
  const { cost } = await sumRecords(metered.postgres.pool)
  const read = async () =>
    ((await metered.valkey.call('HMGET', [key, 'spent', 'reserved'])) as string[]).join()
  const isCorrect = async () => (await read()) === `${cost},0`
  if ((await timeUntil(isCorrect, CORRECTED_MS_MAX)) === null)
    run.fail(`funds are ${await read()}, the records cost ${cost}`)
}

/** Only clients that left can cause a difference, each for no more than its share. */
function judgeLeft(run: ProofRun, { left, unreported }: Phase, whole: Phase): void {
  const { prompt, completion } = unreported
  const early = left.filter((record) => record.completion === 0)
  // A record of a client that left early may have no prompt tokens; those of others say how many.
  const prompts = [...left, ...whole.records].map((record) => record.prompt)
  const promptMax = Math.max(0, ...prompts)
  if (Math.abs(prompt) > early.length * promptMax)
    run.fail(
      `${prompt} prompt tokens differ, ${early.length} of ${left.length} left early, ${promptMax}`,
    )
  if (completion < 0 || completion > left.length * UNREPORTED_TOKENS_MAX)
    run.fail(`${completion} completion tokens differ`)
}

async function prove(run: ProofRun) {
  const seconds = run.soak ? SOAK_SECONDS : SECONDS
  await using engine = await startRealEngine(SLOTS)
  await using metered = await startMetered([{ name: ENGINE, ...engine.settings }], {
    sections: {
      worker: { health_port: 0, reconcile_seconds: RECONCILE_SECONDS },
    },
    // While requests run, the worker reports differences to the engine's counters as errors.
    onLog: () => undefined,
  })
  const setting: Setting = { run, metered, engine }
  const others = [await metered.startWorker(), await metered.startWorker()]
  const countRuns = await countReconciliations(metered.postgres.pool)
  const sinceMs = performance.now()
  const spoiled = spoilFunds(setting, (seconds * 1000) / 2)
  const whole = await compare(setting, seconds, stay)
  await spoiled
  const { prompt, completion } = whole.unreported
  if (prompt !== 0 || completion !== 0) run.fail(`${prompt} and ${completion} tokens differ`)
  if (whole.left.length > 0) run.fail(`${whole.left.length} whole answers are not completed`)
  const mixed = await compare(setting, seconds, (each) =>
    run.random.chance(0.5) ? leave(each) : stay(each),
  )
  judgeLeft(run, mixed, whole)
  await judgeReconciliation(setting, whole.records.length + mixed.records.length)
  await judgeFunds(setting)
  const runs = await countRuns()
  const dueRuns = (performance.now() - sinceMs) / (RECONCILE_SECONDS * 1000)
  if (runs === 0 || runs > dueRuns + 1) run.fail(`${runs} reconciliations, ${dueRuns} were due`)
  for (const wrong of await findWrongSums(metered.postgres.pool)) run.fail(wrong)
  if (metered.crashes() + others.reduce((sum, each) => sum + each.crashes, 0) > 0)
    run.fail('a process ended unexpectedly')
  return {
    whole: whole.records.length,
    tokens: whole.tokens,
    prompt_difference: prompt,
    completion_difference: completion,
    mixed: mixed.records.length,
    mixed_tokens: mixed.tokens,
    left: mixed.left.length,
    left_prompt_unreported: mixed.unreported.prompt,
    left_completion_unreported: mixed.unreported.completion,
    workers: others.length + 1,
    reconciliations: runs,
    reconciliations_due: Math.ceil(dueRuns),
  }
}

await runProof('reconcile', prove)
