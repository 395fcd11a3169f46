// Whatever an engine sends, its client sees a valid stream, or an error and no end marker.
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { ChatRequest } from '../../src/contract/chat-request.ts'
import { createReadPauses } from '../../src/engines/wire/read-pauses.ts'
import { connectChatEngine, type EngineTraits } from '../../src/engines/adapters/chat-engine.ts'
import { EngineError, type Engine } from '../../src/engines/adapters/engine.ts'
import { llamaServer } from '../../src/engines/adapters/llama-server.ts'
import { readPieces } from '../../src/engines/adapters/read-pieces.ts'
import { sglang } from '../../src/engines/adapters/sglang.ts'
import { vllm } from '../../src/engines/adapters/vllm.ts'
import { createRandom } from '../harness/random.ts'
import { exchange, fleetOf, type Exchanged } from './streams/hostile-exchange.ts'
import { POURED, POURED_BYTES_MAX, startHostileServer } from './streams/hostile-server.ts'
import { judgeAnswer, judgeStream, type Told, type Verdict } from './streams/judge-stream.ts'
import { mutateStream, type Hostile } from './streams/mutate-stream.ts'
import { RECORDED, translate } from './streams/recorded-streams.ts'

const FAST_STREAMS = 50_000
const SOAK_STREAMS = 1_000_000
/** The share that goes over real connections. */
const CONNECTED_SHARE = 0.05
const WARMING = 3_000
const AT_ONCE = 32
const TIMEOUT_MS = 30_000
const MEMORY_BYTES_MAX = 64 * 1024 * 1024
const FAULTS_SHOWN = 12
/** Above all that a mutated stream holds. */
const CHARACTERS_MAX = 1_000_000

const TRAITS: readonly EngineTraits[] = [llamaServer, llamaServer, vllm, sglang]

type Case = {
  readonly seed: number
  readonly events: readonly string[]
  readonly hostile: Hostile
  readonly traits: EngineTraits
  readonly asked: Partial<ChatRequest>
  readonly slow: boolean
}

type Tally = {
  streams: number
  whole: number
  failed: number
  invalid: number
  internal: number
  hung: number
  changed: number
  slowestMs: number
  readonly kinds: Map<string, number>
}

function chooseCase(seed: number): Case {
  const random = createRandom(seed)
  const traits = random.pick(TRAITS)
  const events = translate(random.pick(RECORDED), traits)
  const stream = random.chance(0.8)
  const include_usage = random.chance(0.5)
  const include_obfuscation = random.chance(0.5)
  const options = stream ? { stream_options: { include_usage, include_obfuscation } } : {}
  const single = random.chance(0.1) ? { parallel_tool_calls: false } : {}
  const asked = { stream, ...options, ...single }
  const slow = random.chance(0.1)
  return { seed, events, hostile: mutateStream(events, random), traits, asked, slow }
}

/** An engine whose answer is already here, in the parts in which it would have come. */
function engineOf({ hostile, traits, asked }: Case): Engine {
  const toolCallsMax = asked.parallel_tool_calls === false ? 1 : Infinity
  async function* send(signal: AbortSignal): AsyncGenerator<Buffer[]> {
    for (const part of hostile.parts) yield [part]
    if (hostile.ending === 'silence') await once(signal, 'abort')
    signal.throwIfAborted()
    if (hostile.ending === 'break') throw new EngineError('transport', 'hostile', 'broke')
  }
  return {
    name: 'hostile',
    slots: 1,
    generate: (_generation, signal) =>
      Promise.resolve(
        readPieces(
          Object.assign(send(signal), { allowPauses: () => undefined }),
          { ...traits, engine: 'hostile' },
          { toolCallsMax, charactersMax: CHARACTERS_MAX, pausable: true },
        ),
      ),
    countPrompt: () => Promise.resolve(1),
    close: () => undefined,
  }
}

function judge({ asked }: Case, { status, text }: Exchanged): Verdict {
  if (status !== 200) {
    const isError = /^\{"error":\{.*\}\}$/.test(text)
    return isError ? { kind: 'failed', code: null } : { kind: 'fault', why: `a bare ${status}` }
  }
  if (asked.stream !== true) return judgeAnswer(text)
  const { include_usage, include_obfuscation } = asked.stream_options ?? {}
  const form = { withUsage: include_usage === true, obfuscated: include_obfuscation !== false }
  return judgeStream(text, form)
}

/** The client of a harmless stream must be told what the engine said. */
function isChanged(tried: Case, verdict: Verdict): boolean {
  // A reset takes along what its receiver has not yet read.
  if (!tried.hostile.harmless || tried.hostile.ending === 'break') return false
  if (verdict.kind !== 'whole') return tried.asked.parallel_tool_calls !== false
  const single = tried.asked.parallel_tool_calls === false
  return single ? false : !sameAs(toldBy(tried.events), verdict.told)
}

function toldBy(events: readonly string[]): Pick<Told, 'content' | 'reasoning'> {
  let [content, reasoning] = ['', '']
  for (const data of events.filter((each) => each.startsWith('{'))) {
    type Delta = { content?: string; reasoning_content?: string; reasoning?: string }
    const { choices } = JSON.parse(data) as { choices: { delta: Delta }[] }
    content += choices[0]?.delta.content ?? ''
    reasoning += choices[0]?.delta.reasoning_content ?? choices[0]?.delta.reasoning ?? ''
  }
  return { content, reasoning: reasoning.replace(/\n+$/, '') }
}

function sameAs(expected: Pick<Told, 'content' | 'reasoning'>, told: Told): boolean {
  return expected.content === told.content && expected.reasoning === told.reasoning
}

function note(tally: Tally, tried: Case, exchanged: Exchanged): void {
  const verdict = judge(tried, exchanged)
  tally.streams += 1
  tally.slowestMs = Math.max(tally.slowestMs, exchanged.tookMs)
  if (verdict.kind === 'whole') tally.whole += 1
  if (verdict.kind === 'failed') tally.failed += 1
  const [settlement, ...more] = exchanged.settlements
  const completed = settlement?.outcome === 'completed'
  const findings: string[] = []
  if (verdict.kind === 'fault') findings.push(verdict.why)
  if (more.length > 0 || settlement === undefined) findings.push('not settled exactly once')
  else if (verdict.kind !== 'fault' && completed !== (verdict.kind === 'whole'))
    findings.push('settled as something else')
  if (findings.length > 0) tally.invalid += 1
  if (exchanged.text.includes('SECRET')) findings.push("the engine's own words")
  if (isChanged(tried, verdict)) {
    tally.changed += 1
    findings.push('told otherwise')
  }
  if (exchanged.internal !== undefined) {
    tally.internal += 1
    findings.push(exchanged.internal)
  }
  for (const finding of findings) report(tally, tried, finding, exchanged.text)
}

/** One example of each kind of finding is enough to mend it. */
function report({ kinds }: Tally, { seed, hostile }: Case, finding: string, text: string): void {
  const seen = kinds.get(finding) ?? 0
  kinds.set(finding, seen + 1)
  if (seen > 0 || kinds.size > FAULTS_SHOWN) return
  console.log(`${finding}: --only ${seed} (${hostile.names.join(', ')}): ${text.slice(-160)}`)
}

async function within<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS)
  const first = await Promise.race([promise, late])
  clearTimeout(timer)
  return first
}

async function tryOne(tried: Case, connected: Connected | undefined, tally: Tally): Promise<void> {
  if (connected === undefined) {
    const fleet = fleetOf(engineOf(tried))
    const exchanged = await within(exchange(fleet, tried.asked, tried.slow))
    if (exchanged === undefined || fleet.slotsInUse() > 0) {
      tally.hung += 1
      report(tally, tried, 'hung', '')
    } else note(tally, tried, exchanged)
    return
  }
  const exchanged = await within(connected.exchange(tried))
  if (exchanged === undefined) {
    tally.hung += 1
    report(tally, tried, 'hung over a connection', '')
  } else note(tally, tried, exchanged)
}

type Connected = AsyncDisposable & {
  exchange(tried: Case): Promise<Exchanged>
  /** Pours text without end into a JSON answer; returns the bytes that were taken. */
  pour(): Promise<number>
}

/** The same over real connections, with an engine of each kind to a server that sends it all. */
async function connect(): Promise<Connected> {
  const server = await startHostileServer()
  const readPauses = createReadPauses(40)
  return {
    async exchange({ seed, hostile, traits, asked, slow }) {
      const options = { name: 'hostile', url: server.url, apiKey: undefined, slots: 1, readPauses }
      const engine = connectChatEngine(
        { ...options, modelName: server.offer(seed, hostile) },
        traits,
      )
      const fleet = fleetOf(engine)
      try {
        const exchanged = await exchange(fleet, asked, slow)
        if (fleet.slotsInUse() > 0) throw new Error('a slot was not given back')
        return exchanged
      } finally {
        fleet.close()
      }
    },
    async pour() {
      const options = { name: 'pours', url: server.url, apiKey: undefined, slots: 1, readPauses }
      const engine = connectChatEngine({ ...options, modelName: POURED }, llamaServer)
      const fleet = fleetOf(engine)
      await exchange(fleet, { stream: false }, false)
      fleet.close()
      return server.pouredBytes()
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function run(seed: number, count: number, connected: Connected, tally: Tally): Promise<void> {
  let begun = 0
  const lane = async () => {
    while (begun < count) {
      const tried = chooseCase((seed + begun) >>> 0)
      begun += 1
      const way = begun % Math.round(1 / CONNECTED_SHARE) === 0 ? connected : undefined
      await tryOne(tried, way, tally)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

function emptyTally(): Tally {
  const none = { streams: 0, whole: 0, failed: 0, invalid: 0, internal: 0, hung: 0, changed: 0 }
  return { ...none, slowestMs: 0, kinds: new Map() }
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      only: { type: 'string' },
      soak: { type: 'boolean', default: false },
    },
  })
  const seed = Number(values.only ?? values.seed ?? Math.floor(Math.random() * 2 ** 32))
  console.log(`seed ${seed}; repeat with --seed ${seed}`)
  const count = values.only === undefined ? (values.soak ? SOAK_STREAMS : FAST_STREAMS) : 1
  await using connected = await connect()
  if (count > 1) await run(seed ^ 1, WARMING, connected, emptyTally())
  const before = heapBytes()
  const tally = emptyTally()
  await run(seed, count, connected, tally)
  const grown = heapBytes() - before
  const poured = await connected.pour()
  const { streams, whole, failed, invalid, internal, hung, changed, slowestMs, kinds } = tally
  for (const [finding, times] of kinds) console.log(`${times} × ${finding}`)
  console.log(
    `hostile-engine: streams=${streams} whole=${whole} failed=${failed} invalid=${invalid} ` +
      `internal=${internal} changed=${changed} hung=${hung} slowest_ms=${Math.round(slowestMs)} ` +
      `heap_grown_mib=${(grown / 2 ** 20).toFixed(1)} poured_mib=${Math.round(poured / 2 ** 20)} ` +
      `seed=${seed}`,
  )
  const kept = invalid + internal + changed + hung === 0 && kinds.size === 0
  const bounded = grown <= MEMORY_BYTES_MAX && poured < POURED_BYTES_MAX
  return kept && bounded && streams === count ? 0 : 1
}

process.exitCode = await main()
