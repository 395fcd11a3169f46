// Clients that leave after any number of tokens are billed for what the engine made, to the token.
import { COUNTER_NAMES, readCounters } from '../../src/engines/adapters/read-counters.ts'
import { endlessRequest, REQUEST_KINDS } from '../harness/demo-model-requests.ts'
import { modelOn } from '../harness/environment.ts'
import {
  requestOf,
  startCountingEngine,
  type CountingEngine,
  type Work,
} from '../harness/fake-engine/counting.ts'
import { startLlamaServer, type LlamaServer } from '../harness/llama-server.ts'
import { waitUntil } from '../harness/measure.ts'
import { costOf, startMetered, waitUntilPosted, type Metered } from '../harness/metered.ts'
import { readPosted, type PostedRecord } from '../harness/posted-usage.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { openExchange, type OpenExchange } from '../harness/usage-client.ts'
import {
  startHoldingProxy,
  type Counted,
  type Forwarded,
  type HoldingProxy,
} from './abort-billing/holding-proxy.ts'

const TOKENS = 40
const SOAK_TOKENS = 200
/** Tokens that the engine would have generated if its client had stayed. */
const TOKENS_LEFT = 10
const REASONING = 12
const REAL_EVENTS = 24
const SOAK_REAL_EVENTS = 150
const REAL_SLOTS = 16
const SCRIPTED = 'scripted'
const REAL = 'real'
const TIMEOUT_MS = 60_000

type Kind = { readonly name: string; readonly stream: boolean } & Pick<Work, 'calls' | 'reasoning'>

const KINDS: readonly Kind[] = [
  { name: 'text', stream: true, calls: false, reasoning: 0 },
  { name: 'reasoning', stream: true, calls: false, reasoning: REASONING },
  { name: 'tool call', stream: true, calls: true, reasoning: 0 },
  { name: 'JSON', stream: false, calls: false, reasoning: REASONING },
]

/** The counts of a record or an event as one text, to compare them with checkpoints. */
function textOf({ prompt, cached, completion }: Counted): string {
  return `${prompt},${cached},${completion}`
}

/** Waits until the api has written checkpoints with these counts. */
async function checkpointed(metered: Metered, wanted: readonly string[]): Promise<void> {
  const tookMs = await waitUntil(async () => {
    const checkpoints = await metered.readCheckpoints()
    const written = new Set(checkpoints.map((text) => text.slice(0, text.lastIndexOf(','))))
    return wanted.every((each) => written.has(each))
  }, TIMEOUT_MS)
  if (tookMs === Infinity) throw new Error('checkpoints lack counts that the engine has sent')
}

type Left = { readonly work: Work; readonly kind: Kind; readonly client: OpenExchange }

/** Every number of tokens in every kind of answer, on an engine that stops after so many. */
async function proveScripted(
  run: ProofRun,
  metered: Metered,
  engine: CountingEngine,
  tokens: number,
) {
  const all: Left[] = []
  for (const kind of KINDS) {
    for (let after = 0; after <= tokens; after += 1) {
      const { calls, reasoning } = kind
      const made = { tokens: tokens + TOKENS_LEFT, reasoning, calls, everyMs: 1 }
      const work = { prompt: 1_000 + all.length, cached: after, ...made, holdAfter: after }
      const request = requestOf(modelOn(SCRIPTED), work, kind.stream)
      all.push({ work, kind, client: openExchange(metered.target, request) })
    }
  }
  await Promise.all(all.map((left) => leaveScripted(metered, engine, left)))
  const made = await Promise.all(all.map(({ work }) => engine.ended(work.prompt)))
  await waitUntilPosted(metered.valkey)
  const records = await readPosted(metered.postgres.pool)
  for (const [at, left] of all.entries()) judgeRecord(run, records, left, made[at] ?? 0)
  const before = all.filter(({ work }) => work.holdAfter === 0).length
  const empty = records.filter(({ prompt, basis }) => prompt === 0 && basis === 'none').length
  if (empty !== before) run.fail(`${before} left before a token, ${empty} records are empty`)
  if (records.length !== all.length) run.fail(`${all.length} left, ${records.length} records`)
  return { left: all.length, tokens: made.reduce((sum, each) => sum + each, 0) }
}

/** Leaves a stream at its last token. A client of a JSON answer sees nothing before its end. */
async function leaveScripted(metered: Metered, engine: CountingEngine, left: Left): Promise<void> {
  const { prompt, cached, holdAfter = 0 } = left.work
  await engine.holding(prompt)
  if (holdAfter > 0 && left.kind.stream) await left.client.reached(holdAfter)
  else if (holdAfter > 0)
    await checkpointed(metered, [textOf({ prompt, cached, completion: holdAfter })])
  left.client.leave()
}

function judgeRecord(
  run: ProofRun,
  records: readonly PostedRecord[],
  { work, kind }: Left,
  made: number,
): void {
  const { prompt, cached, reasoning, holdAfter = 0 } = work
  if (made !== holdAfter) run.fail(`the engine made ${made} instead of ${holdAfter}`)
  if (made === 0) return
  const wanted = {
    prompt,
    cached,
    completion: made,
    reasoning: Math.min(made, reasoning),
    outcome: 'abandoned',
    basis: 'engine_partial',
    cost: costOf({ prompt, cached, completion: made }),
  }
  const own = records.filter((record) => record.prompt === prompt)
  const fields = Object.keys(wanted) as (keyof typeof wanted)[]
  if (own.length !== 1 || fields.some((field) => own[0]?.[field] !== wanted[field]))
    run.fail(`${kind.name} left after ${made}: ${JSON.stringify(own)}`)
}

/** Every number of events of a real engine: exactly what was forwarded is billed. */
async function proveReal(
  run: ProofRun,
  metered: Metered,
  proxy: HoldingProxy,
  llama: LlamaServer,
  events: number,
) {
  const earlier = new Set((await readPosted(metered.postgres.pool)).map(({ id }) => id))
  const engine = { name: REAL, url: llama.url, apiKey: undefined }
  const counters = { ...engine, counters: COUNTER_NAMES['llama-server'] }
  const before = await readCounters(counters)
  const forwarded: Forwarded[] = []
  const waiting = REQUEST_KINDS.flatMap((kind) =>
    Array.from({ length: events + 1 }, (_, after) => ({ kind, after })),
  )
  let seed = 0
  while (waiting.length > 0) {
    const batch = waiting.splice(0, REAL_SLOTS).map(({ kind, after }) => {
      seed += 1
      proxy.holdAfter(seed, after)
      const request = endlessRequest(kind, modelOn(REAL), seed)
      return { seed, client: openExchange(metered.target, request) }
    })
    const held = await Promise.all(batch.map((each) => proxy.held(each.seed)))
    const open = held.filter(({ whole }) => !whole).flatMap(({ counted }) => counted ?? [])
    await checkpointed(metered, open.map(textOf))
    for (const { client } of batch) client.leave()
    forwarded.push(...held)
    await waitUntil(async () => (await llama.slotsInUse()) === 0, TIMEOUT_MS)
  }
  await waitUntilPosted(metered.valkey)
  const records = (await readPosted(metered.postgres.pool)).filter(({ id }) => !earlier.has(id))
  const wanted = forwarded.map(({ counted }) => textOf(counted ?? NOTHING)).toSorted()
  const posted = records.map(textOf).toSorted()
  for (const [at, each] of wanted.entries())
    if (posted[at] !== each) run.fail(`real: forwarded ${each}, posted ${posted[at]}`)
  if (posted.length !== wanted.length) run.fail(`real: ${posted.length} records`)
  const after = await readCounters(counters)
  const tokens = records.reduce((sum, { completion }) => sum + completion, 0)
  const made = after.completionTokens - before.completionTokens
  return { left: forwarded.length, tokens, madeWhileHeld: made - tokens }
}

const NOTHING = { prompt: 0, cached: 0, completion: 0 }

async function prove(run: ProofRun) {
  await using engine = await startCountingEngine()
  await using llama = await startLlamaServer(REAL_SLOTS)
  await using proxy = await startHoldingProxy(llama.url)
  await using metered = await startMetered([
    { name: SCRIPTED, url: engine.url },
    { name: REAL, url: proxy.url, slots: REAL_SLOTS, model_name: 'pebble' },
  ])
  const scripted = await proveScripted(run, metered, engine, run.soak ? SOAK_TOKENS : TOKENS)
  const events = run.soak ? SOAK_REAL_EVENTS : REAL_EVENTS
  const real = await proveReal(run, metered, proxy, llama, events)
  if (metered.crashes() > 0) run.fail('a process ended unexpectedly')
  return {
    left: scripted.left + real.left,
    scripted: scripted.left,
    tokens: scripted.tokens,
    real: real.left,
    real_tokens: real.tokens,
    made_while_held: real.madeWhileHeld,
    wrong: run.failures.length,
  }
}

await runProof('abort-billing', prove)
