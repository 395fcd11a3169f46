// Whatever an engine sends, its client sees a valid stream, or an error and no end marker.
// covers: src/engines/adapters/** src/engines/wire/** src/inference/**
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { forEachLimited } from '../../src/lib/for-each-limited.ts'
import { runProof, type Figures, type ProofRun } from '../harness/proof.ts'
import { chooseCase, engineOf, type Case } from './hostile-engine/cases.ts'
import { exchange, fleetOf, type Exchanged } from './hostile-engine/exchange.ts'
import {
  POURED_BYTES_MAX,
  startHostileServer,
  type HostileServer,
} from './hostile-engine/hostile-server.ts'
import { judgeAnswer, judgeStream, type Verdict } from './hostile-engine/judge-stream.ts'

const FAST_STREAMS = 50_000
const SOAK_STREAMS = 1_000_000
/** One of so many goes over a real connection. */
const CONNECTED_EVERY = 20
const WARMING = 3_000
const AT_ONCE = 32
const TIMEOUT_MS = 30_000
const MEMORY_BYTES_MAX = 64 * 1024 * 1024

type Tally = Record<
  'streams' | 'whole' | 'failed' | 'invalid' | 'internal' | 'changed' | 'hung' | 'slowestMs',
  number
> & {
  /** How often each kind of finding occurred, with one example, which is enough to fix it. */
  readonly findings: Map<string, { count: number; readonly example: string }>
}

function startTally(): Tally {
  const none = { streams: 0, whole: 0, failed: 0, invalid: 0, internal: 0, changed: 0, hung: 0 }
  return { ...none, slowestMs: 0, findings: new Map() }
}

function note({ findings }: Tally, { seed, hostile }: Case, finding: string, text = ''): void {
  const end = JSON.stringify(text.slice(-160).trim())
  const example = `--only ${seed} (${hostile.names.join(', ')}): ${end}`
  const noted = findings.get(finding) ?? { count: 0, example }
  noted.count += 1
  findings.set(finding, noted)
}

function judge({ asked }: Case, { status, text }: Exchanged): Verdict {
  if (status !== 200) {
    const isError = /^\{"error":\{.*\}\}$/.test(text)
    return isError ? { kind: 'failed' } : { kind: 'invalid', why: `a bare ${status}` }
  }
  if (asked.stream !== true) return judgeAnswer(text)
  const { include_usage, include_obfuscation } = asked.stream_options ?? {}
  const form = { withUsage: include_usage === true, obfuscated: include_obfuscation !== false }
  return judgeStream(text, form)
}

/** The client of a harmless stream must receive what the engine sent. */
function isChanged({ hostile, asked, events }: Case, verdict: Verdict): boolean {
  // A reset discards what its receiver has not yet read, and a second tool call may be cut off.
  if (!hostile.harmless || hostile.ending === 'break') return false
  if (asked.parallel_tool_calls === false) return false
  if (verdict.kind !== 'whole') return true
  let [content, reasoning] = ['', '']
  for (const data of events.filter((each) => each.startsWith('{'))) {
    type Delta = { content?: string; reasoning_content?: string; reasoning?: string }
    const { choices } = JSON.parse(data) as { choices: { delta: Delta }[] }
    content += choices[0]?.delta.content ?? ''
    reasoning += choices[0]?.delta.reasoning_content ?? choices[0]?.delta.reasoning ?? ''
  }
  const { received } = verdict
  return content !== received.content || reasoning.replace(/\n+$/, '') !== received.reasoning
}

function judgeExchange(tally: Tally, one: Case, exchanged: Exchanged): void {
  const verdict = judge(one, exchanged)
  tally.streams += 1
  tally.slowestMs = Math.max(tally.slowestMs, exchanged.tookMs)
  if (verdict.kind !== 'invalid') tally[verdict.kind] += 1
  const [settlement, ...more] = exchanged.settlements
  const completed = settlement?.outcome === 'completed'
  const findings: string[] = []
  if (verdict.kind === 'invalid') findings.push(verdict.why)
  if (more.length > 0 || settlement === undefined) findings.push('not settled exactly once')
  else if (verdict.kind !== 'invalid' && completed !== (verdict.kind === 'whole'))
    findings.push('settled with another outcome')
  if (findings.length > 0) tally.invalid += 1
  if (exchanged.text.includes('SECRET')) findings.push("the engine's own words")
  if (isChanged(one, verdict)) {
    tally.changed += 1
    findings.push('another content')
  }
  if (exchanged.internal !== undefined) {
    tally.internal += 1
    findings.push(exchanged.internal)
  }
  for (const finding of findings) note(tally, one, finding, exchanged.text)
}

/** Over a real connection if there is a server, else with the answer in memory. */
async function tryOne(one: Case, server: HostileServer | undefined, tally: Tally): Promise<void> {
  const fleet = await fleetOf(server?.engineOf(one) ?? engineOf(one))
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS)
  const exchanged = await Promise.race([exchange(fleet, one.asked, one.slow), late])
  clearTimeout(timer)
  if (exchanged === undefined || fleet.slotsInUse() > 0) {
    tally.hung += 1
    note(tally, one, server === undefined ? 'hung' : 'hung over a connection')
  } else judgeExchange(tally, one, exchanged)
  await fleet[Symbol.asyncDispose]()
}

async function tryAll(seed: number, count: number, server: HostileServer): Promise<Tally> {
  const tally = startTally()
  const indexes = Array.from({ length: count }, (_, index) => index)
  await forEachLimited(AT_ONCE, indexes, (index) => {
    const connected = index % CONNECTED_EVERY === 0
    return tryOne(chooseCase((seed + index) >>> 0), connected ? server : undefined, tally)
  })
  return tally
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Pours text without end into a JSON answer; returns the bytes that were read. */
async function pour(server: HostileServer): Promise<number> {
  const fleet = await fleetOf(server.pouring)
  await exchange(fleet, { stream: false }, false)
  await fleet[Symbol.asyncDispose]()
  return server.pouredBytes()
}

async function prove(run: ProofRun): Promise<Figures> {
  const only = run.values['only']
  const usual = run.soak ? SOAK_STREAMS : FAST_STREAMS
  const count = only !== undefined ? 1 : Number(run.values['streams'] ?? usual)
  const seed = Number(only ?? run.seed)
  await using server = await startHostileServer()
  if (count > 1) await tryAll(seed ^ 1, WARMING, server)
  const before = heapBytes()
  const { findings, slowestMs, ...tally } = await tryAll(seed, count, server)
  const grown = heapBytes() - before
  const poured = await pour(server)
  for (const [finding, times] of findings)
    run.fail(`${times.count} × ${finding}, for example ${times.example}`)
  if (tally.streams !== count) run.fail(`only ${tally.streams} of ${count} streams ended`)
  if (grown > MEMORY_BYTES_MAX) run.fail(`the heap has grown by ${grown} bytes`)
  if (poured >= POURED_BYTES_MAX) run.fail('an endless answer was read without bound')
  return {
    ...tally,
    slowest_ms: Math.round(slowestMs),
    heap_grown_mib: (grown / 2 ** 20).toFixed(1),
    poured_mib: Math.round(poured / 2 ** 20),
  }
}

await runProof('hostile-engine', prove, {
  only: { type: 'string' },
  streams: { type: 'string' },
})
