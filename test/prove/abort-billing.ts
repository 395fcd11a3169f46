// Clients that leave after any number of tokens: the ledger has what the engine made, to the token.
import { parseArgs } from 'node:util'
import { COUNTER_NAMES, readCounters } from '../../src/engines/adapters/read-counters.ts'
import { startLlamaServer, type LlamaServer } from '../harness/llama-server.ts'
import { waitUntil } from '../harness/measure.ts'
import { openExchange, type OpenExchange } from './metering/client.ts'
import type { Work } from './metering/engine-process.ts'
import { requestOf, startCountingEngine, type CountingEngine } from './metering/engine.ts'
import { startHoldingProxy, type HoldingProxy, type Passed } from './metering/holding-proxy.ts'
import { costOf } from './metering/judge.ts'
import { readRows, type Row } from './metering/ledger.ts'
import { startMetered, type Metered } from './metering/metered.ts'
import { REAL_KINDS, realRequest } from './metering/real-requests.ts'
import { modelOn } from './metering/world.ts'

const TOKENS = 40
const SOAK_TOKENS = 200
/** Tokens that the engine would have made if its client had stayed. */
const TOKENS_LEFT = 10
const REASONING = 12
const REAL_EVENTS = 24
const SOAK_REAL_EVENTS = 150
const REAL_SLOTS = 16
const SCRIPTED = 'scripted'
const REAL = 'real'
const TIMEOUT_MS = 60_000
const FAULTS_SHOWN = 10

type Kind = { readonly name: string; readonly stream: boolean } & Pick<Work, 'calls' | 'reasoning'>

const KINDS: readonly Kind[] = [
  { name: 'text', stream: true, calls: false, reasoning: 0 },
  { name: 'reasoning', stream: true, calls: false, reasoning: REASONING },
  { name: 'tool call', stream: true, calls: true, reasoning: 0 },
  { name: 'JSON', stream: false, calls: false, reasoning: REASONING },
]

type Scene = { readonly metered: Metered; readonly faults: string[] }

/** What a row says of the engine's counts, as a checkpoint would say it. */
function told({ prompt, cached, completion }: Pick<Row, 'prompt' | 'cached' | 'completion'>) {
  return `${prompt},${cached},${completion}`
}

/** Resolves when the api has written down that it knows as much as this of every request. */
async function known({ metered }: Scene, wanted: readonly string[]): Promise<void> {
  const tookMs = await waitUntil(async () => {
    const written = new Set((await metered.readProgress()).map(withoutReasoning))
    return wanted.every((each) => written.has(each))
  }, TIMEOUT_MS)
  if (tookMs === Infinity) throw new Error('the api does not know what the engine said')
}

function withoutReasoning(progress: string): string {
  return progress.slice(0, progress.lastIndexOf(','))
}

type Left = { readonly work: Work; readonly kind: Kind; readonly client: OpenExchange }

/** Every number of tokens in every kind of answer, on an engine that stops after so many. */
async function judgeScripted(scene: Scene, engine: CountingEngine, tokens: number) {
  const { target } = scene.metered
  const all: Left[] = []
  for (const kind of KINDS) {
    for (let after = 0; after <= tokens; after += 1) {
      const prompt = 1_000 + all.length
      const { calls, reasoning } = kind
      const made = { tokens: tokens + TOKENS_LEFT, reasoning, calls, everyMs: 1 }
      const work = { prompt, cached: after, ...made, holdAfter: after }
      const request = requestOf(modelOn(SCRIPTED), work, kind.stream)
      all.push({ work, kind, client: openExchange(target, request) })
    }
  }
  await Promise.all(all.map((left) => leaveScripted(scene, engine, left)))
  const made = await Promise.all(all.map(({ work }) => engine.ended(work.prompt)))
  await scene.metered.settled()
  const rows = await readRows(scene.metered.postgres.pool)
  for (const [at, left] of all.entries()) judgeRow(scene, rows, left, made[at] ?? 0)
  const before = all.filter(({ work }) => work.holdAfter === 0).length
  const nothing = rows.filter(({ prompt, basis }) => prompt === 0 && basis === 'none').length
  if (nothing !== before) scene.faults.push(`${before} left before a token, ${nothing} rows say so`)
  if (rows.length !== all.length) scene.faults.push(`${all.length} left, ${rows.length} rows`)
  return { left: all.length, tokens: made.reduce((sum, each) => sum + each, 0) }
}

/** A stream is left at its last token; of another answer the client sees nothing until its end. */
async function leaveScripted(scene: Scene, engine: CountingEngine, { work, kind, client }: Left) {
  const { prompt, cached, holdAfter = 0 } = work
  await engine.holding(prompt)
  if (holdAfter > 0) {
    if (kind.stream) await client.reached(holdAfter)
    else await known(scene, [told({ prompt, cached, completion: holdAfter })])
  }
  client.leave()
}

function judgeRow({ faults }: Scene, rows: readonly Row[], { work, kind }: Left, made: number) {
  const { prompt, cached, holdAfter = 0 } = work
  if (made !== holdAfter) faults.push(`the engine made ${made} instead of ${holdAfter}`)
  if (made === 0) return
  const wanted = {
    prompt,
    cached,
    completion: made,
    reasoning: Math.min(made, work.reasoning),
    outcome: 'abandoned',
    basis: 'engine_partial',
  }
  const own = rows.filter((row) => row.prompt === prompt)
  const [row] = own
  const fields = Object.keys(wanted) as (keyof typeof wanted)[]
  const same = row !== undefined && fields.every((field) => row[field] === wanted[field])
  if (own.length !== 1 || !same || row.cost !== costOf(row))
    faults.push(`${kind.name} left after ${made}: ${JSON.stringify(own)}`)
}

/** Every number of events of a real engine: what has passed on the way is what is billed. */
async function judgeReal(scene: Scene, proxy: HoldingProxy, llama: LlamaServer, events: number) {
  const { metered, faults } = scene
  const earlier = new Set((await readRows(metered.postgres.pool)).map(({ id }) => id))
  const counted = { name: REAL, url: llama.url, apiKey: undefined }
  const counters = { ...counted, counters: COUNTER_NAMES['llama-server'] }
  const before = await readCounters(counters)
  const passed: Passed[] = []
  const waiting = REAL_KINDS.flatMap((kind) =>
    Array.from({ length: events + 1 }, (_, after) => ({ kind, after })),
  )
  let seed = 0
  while (waiting.length > 0) {
    const batch = waiting.splice(0, REAL_SLOTS).map(({ kind, after }) => {
      seed += 1
      proxy.holdAfter(seed, after)
      const request = realRequest(kind, modelOn(REAL), seed)
      return { seed, client: openExchange(metered.target, request) }
    })
    const held = await Promise.all(batch.map((each) => proxy.held(each.seed)))
    await known(
      scene,
      held.flatMap(({ counted: last, whole }) => (whole || last === undefined ? [] : [told(last)])),
    )
    for (const { client } of batch) client.leave()
    passed.push(...held)
    await waitUntil(async () => (await llama.slotsInUse()) === 0, TIMEOUT_MS)
  }
  await metered.settled()
  const rows = (await readRows(metered.postgres.pool)).filter(({ id }) => !earlier.has(id))
  const wanted = passed.map(({ counted: last }) => told(last ?? NOTHING)).toSorted()
  const written = rows.map(told).toSorted()
  for (const [at, each] of wanted.entries())
    if (written[at] !== each) faults.push(`real: passed ${each}, written ${written[at]}`)
  if (written.length !== wanted.length) faults.push(`real: ${written.length} rows`)
  const after = await readCounters(counters)
  const tokens = rows.reduce((sum, { completion }) => sum + completion, 0)
  const madeTokens = after.completionTokens - before.completionTokens
  return { left: passed.length, tokens, unread: madeTokens - tokens }
}

const NOTHING = { prompt: 0, cached: 0, completion: 0 }

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { soak: { type: 'boolean', default: false } } })
  await using engine = await startCountingEngine()
  await using llama = await startLlamaServer(REAL_SLOTS)
  await using proxy = await startHoldingProxy(llama.url)
  await using metered = await startMetered([
    { name: SCRIPTED, url: engine.url },
    { name: REAL, url: proxy.url, slots: REAL_SLOTS, model_name: 'pebble' },
  ])
  const scene: Scene = { metered, faults: [] }
  const scripted = await judgeScripted(scene, engine, values.soak ? SOAK_TOKENS : TOKENS)
  const events = values.soak ? SOAK_REAL_EVENTS : REAL_EVENTS
  const real = await judgeReal(scene, proxy, llama, events)
  const { faults } = scene
  for (const fault of faults.slice(0, FAULTS_SHOWN)) console.log(fault)
  console.log(
    `abort-billing: left=${scripted.left + real.left} scripted=${scripted.left} ` +
      `tokens=${scripted.tokens} real=${real.left} real_tokens=${real.tokens} ` +
      `made_while_held=${real.unread} wrong=${faults.length}`,
  )
  return faults.length === 0 ? 0 : 1
}

process.exitCode = await main()
