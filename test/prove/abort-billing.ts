// Clients that leave at any time are billed for the prompt and what the engine made, to the token.
// engines: llama-server vllm
// covers: src/inference/** src/store/usage/** src/engines/adapters/**
import { endlessRequest, REQUEST_KINDS } from '../harness/clients/demo-model-requests.ts'
import { modelOn } from '../harness/environment.ts'
import {
  requestOf,
  startCountingEngine,
  type CountingEngine,
  type Work,
} from '../harness/fake-engine/counting.ts'
import { startRealEngine, type RealEngine } from '../harness/engines/real-engine.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { costOf, startMetered, waitUntilPosted, type Metered } from '../harness/load/metered.ts'
import { readPosted, type PostedRecord } from '../harness/seed/posted-usage.ts'
import { runProof, type ProofRun } from '../harness/proof.ts'
import { exchange, openExchange, type OpenExchange } from '../harness/clients/usage-client.ts'
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
/** Prompts that a real engine processes for seconds. */
const LONG_PROMPTS = 3
const LONG_PROMPT_WORDS = 200
const LONG_PROMPT_SEED = 1_000_000
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
  let missing: readonly string[] = []
  const areWritten = async () => {
    const checkpoints = await metered.readCheckpoints()
    const written = new Set(checkpoints.map((text) => text.slice(0, text.lastIndexOf(','))))
    missing = wanted.filter((each) => !written.has(each))
    return missing.length === 0
  }
  const seen = () => `all but ${missing.join(' ')}`
  const what = 'checkpoints with all counts that the engine sent'
  await waitUntil(what, areWritten, TIMEOUT_MS, { seen })
}

/** How engines differ before the first token. */
const BEFORE_TOKENS: readonly Partial<Work>[] = [{ headWithToken: true }, { uncountable: true }]

type Left = {
  readonly work: Work
  readonly kind: Kind
  readonly request: object
  readonly client: OpenExchange
}

/** Every number of tokens in every kind of answer, on an engine that stops after so many. */
async function proveScripted(
  run: ProofRun,
  metered: Metered,
  engine: CountingEngine,
  tokens: number,
) {
  const all: Left[] = []
  for (const kind of KINDS) {
    const { calls, reasoning } = kind
    const common = { tokens: tokens + TOKENS_LEFT, reasoning, calls, everyMs: 1 }
    const holds = Array.from({ length: tokens + 1 }, (_, after) => ({ holdAfter: after }))
    for (const hold of [...holds, ...BEFORE_TOKENS.map((each) => ({ ...each, holdAfter: 0 }))]) {
      const work = { prompt: 1_000 + all.length, cached: hold.holdAfter, ...common, ...hold }
      const request = requestOf(modelOn(SCRIPTED), work, kind.stream)
      all.push({ work, kind, request, client: openExchange(metered.target, request) })
    }
  }
  await Promise.all(all.map((left) => leaveScripted(metered, engine, left)))
  const made = await Promise.all(all.map(({ work }) => engine.ended(work.prompt)))
  await waitUntilPosted(metered.valkey)
  const records = await readPosted(metered.postgres.pool)
  for (const [at, left] of all.entries()) judgeRecord(run, records, left, made[at] ?? 0)
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
  { work, kind, request }: Left,
  made: number,
): void {
  const { cached, reasoning, holdAfter = 0, uncountable = false } = work
  if (made !== holdAfter) run.fail(`the engine made ${made} instead of ${holdAfter}`)
  const reported = { cached, completion: made, reasoning: Math.min(made, reasoning) }
  const exact = recordOf({ prompt: work.prompt, ...reported }, 'engine_partial')
  const estimated = recordOf({ prompt: estimateOf(request), ...reported }, 'none')
  // An engine that counts too slowly leaves an estimate too.
  const allowed = uncountable ? [estimated] : made > 0 ? [exact] : [exact, estimated]
  const own = records.filter((record) => allowed.some((each) => isSubset(each, record)))
  if (own.length === 0) run.fail(`${kind.name} left after ${made}: ${JSON.stringify(allowed)}`)
}

function recordOf(counts: Counted & { readonly reasoning: number }, basis: string) {
  return { ...counts, outcome: 'abandoned', basis, cost: costOf(counts) }
}

function isSubset(wanted: Partial<PostedRecord>, record: PostedRecord): boolean {
  const fields = Object.keys(wanted) as (keyof PostedRecord)[]
  return fields.every((field) => record[field] === wanted[field])
}

/** The estimate of the specification: a token for every 4 bytes of messages and tools. */
function estimateOf(request: object): number {
  const { messages, tools } = request as {
    readonly messages: readonly { readonly content: string }[]
    readonly tools?: object
  }
  const toolBytes = tools === undefined ? 0 : JSON.stringify(tools).length
  return Math.ceil((messages.reduce((sum, each) => sum + each.content.length, 0) + toolBytes) / 4)
}

/** Every number of events of a real engine: exactly what was forwarded is billed. */
async function proveReal(
  run: ProofRun,
  metered: Metered,
  proxy: HoldingProxy,
  engine: RealEngine,
  events: number,
) {
  const earlier = new Set((await readPosted(metered.postgres.pool)).map(({ id }) => id))
  const before = await engine.counters()
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
    await waitUntil('the engine to be idle', async () => (await engine.inUse()) === 0, TIMEOUT_MS)
  }
  await waitUntilPosted(metered.valkey)
  const records = (await readPosted(metered.postgres.pool)).filter(({ id }) => !earlier.has(id))
  const wanted = forwarded.map((each) => textOf(billOf(each))).toSorted()
  const posted = records.map(textOf).toSorted()
  for (const [at, each] of wanted.entries())
    if (posted[at] !== each) run.fail(`real: forwarded ${each}, posted ${posted[at]}`)
  if (posted.length !== wanted.length) run.fail(`real: ${posted.length} records`)
  const after = await engine.counters()
  const tokens = records.reduce((sum, { completion }) => sum + completion, 0)
  const made = after.completionTokens - before.completionTokens
  return { left: forwarded.length, tokens, madeWhileHeld: made - tokens }
}

/** Before the engine's first counts, the prompt alone. */
function billOf({ counted, prompt = 0 }: Forwarded): Counted {
  return counted ?? { prompt, cached: 0, completion: 0 }
}

/** Clients that leave while a real engine processes their prompt. */
async function proveLong(run: ProofRun, metered: Metered, proxy: HoldingProxy): Promise<number> {
  const earlier = new Set((await readPosted(metered.postgres.pool)).map(({ id }) => id))
  const seeds = Array.from({ length: LONG_PROMPTS }, (_, at) => LONG_PROMPT_SEED + at)
  const requests = seeds.map(longRequest)
  for (const seed of seeds) proxy.holdAfter(seed, Infinity)
  const clients = requests.map((request) => openExchange(metered.target, request))
  await Promise.all(seeds.map((seed) => proxy.received(seed)))
  for (const client of clients) client.leave()
  const whole = await Promise.all(requests.map((request) => exchange(metered.target, request)))
  await waitUntilPosted(metered.valkey)
  const records = (await readPosted(metered.postgres.pool)).filter(({ id }) => !earlier.has(id))
  const left = records.filter(({ outcome }) => outcome === 'abandoned')
  const billed = left.map(({ prompt }) => `${prompt}`).toSorted()
  const processed = whole.map(({ usage }) => `${usage?.prompt}`).toSorted()
  if (billed.join() !== processed.join()) run.fail(`long: ${processed.join()} at ${billed.join()}`)
  if (left.some(({ completion }) => completion > 0)) run.fail('long: left after the prompt')
  return billed.reduce((sum, each) => sum + Number(each), 0)
}

function longRequest(seed: number): object {
  const words = Array.from({ length: LONG_PROMPT_WORDS }, (_, word) => `${seed}${word}`)
  const messages = [{ role: 'user', content: words.join(' ') }]
  return { model: modelOn(REAL), seed, messages, max_tokens: 1 }
}

async function prove(run: ProofRun) {
  await using counting = await startCountingEngine()
  await using engine = await startRealEngine(REAL_SLOTS)
  await using proxy = await startHoldingProxy(engine.url)
  await using metered = await startMetered([
    { name: SCRIPTED, url: counting.url },
    { name: REAL, ...engine.settings, url: proxy.url },
  ])
  const scripted = await proveScripted(run, metered, counting, run.soak ? SOAK_TOKENS : TOKENS)
  const events = run.soak ? SOAK_REAL_EVENTS : REAL_EVENTS
  const real = await proveReal(run, metered, proxy, engine, events)
  const longTokens = await proveLong(run, metered, proxy)
  if (metered.crashes() > 0) run.fail('a process ended unexpectedly')
  return {
    left: scripted.left + real.left,
    scripted: scripted.left,
    tokens: scripted.tokens,
    real: real.left,
    real_tokens: real.tokens,
    made_while_held: real.madeWhileHeld,
    left_in_prompt: LONG_PROMPTS,
    prompt_tokens: longTokens,
    wrong: run.failures.length,
  }
}

await runProof('abort-billing', prove)
