import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { warmUp } from '../../../bench/bench.ts'
import { runLoad, type Workload } from '../../../bench/load.ts'
import { startHeadrace } from './headrace.ts'

/** The part of V8's format that is read here. Times are microseconds of the monotonic clock. */
type Profile = {
  readonly nodes: readonly ProfileNode[]
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

type ProfileNode = {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
}

type Engine = { readonly port: number; readonly pid: number }

/** A group is the first whose pattern the function's `name url` matches. */
const GROUPS: readonly (readonly [string, RegExp])[] = [
  ['garbage collection', /^\(garbage collector\)/],
  [
    'kernel and native code',
    /^\(program\)|^(writev|writeUtf8String|writeLatin1String|writeBuffer) $/,
  ],
  ['connections to engines', /src\/engines\/(wire\/|adapters\/upstream)/],
  [
    'our parsing',
    /eventsource-parser|src\/engines\/adapters\/(read-pieces|chunk-|wire-chunk|vllm)/,
  ],
  ['our rendering', /src\/inference\/(answer|chunk-events)|src\/lib\/padding|^(byteLengthUtf8) $/],
  [
    'valkey',
    /node_modules\/(ioredis|@ioredis|debug|standard-as-callback|cluster-key-slot)|src\/store/,
  ],
  ['logging', /node_modules\/(pino|sonic-boom|thread-stream)/],
  ['timers', /node:internal\/(timers|priority_queue|linkedlist)|^(getLibuvNow|scheduleTimer) $/],
  [
    'async machinery',
    /async_hooks|internal\/(process\/|abort_controller|event_target)|^runMicrotasks $|node:events/,
  ],
  ['node http and net', /node:(_http|internal\/(http|stream)|net|stream|http)/],
  ['node, other', /node:/],
  ['our other code', /\/src\//],
]

type Share = { readonly name: string; readonly share: number }

/** The only profile in the folder, from one moment of the monotonic clock to another. */
function summarize(folder: string, fromMicros: number, toMicros: number) {
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
  if (file === undefined) throw new Error('the api wrote no profile')
  const found = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile
  const names = new Map(found.nodes.map((node) => [node.id, nameOf(node)]))
  const functions = new Map<string, number>()
  let atMicros = found.startTime
  for (const [index, id] of found.samples.entries()) {
    const delta = found.timeDeltas[index] ?? 0
    atMicros += delta
    if (atMicros < fromMicros || atMicros > toMicros) continue
    const name = names.get(id) ?? ''
    if (!name.startsWith('(idle)')) functions.set(name, (functions.get(name) ?? 0) + delta)
  }
  const groups = new Map<string, number>()
  for (const [name, micros] of functions) {
    const group = groupOf(name)
    groups.set(group, (groups.get(group) ?? 0) + micros)
  }
  return { groups: sharesOf(groups), functions: sharesOf(functions) }
}

function nameOf({ callFrame: { functionName, url } }: ProfileNode): string {
  return `${functionName === '' ? '(anonymous)' : functionName} ${url}`
}

function groupOf(name: string): string {
  return GROUPS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'built-ins and the rest'
}

function sharesOf(micros: ReadonlyMap<string, number>): Share[] {
  const total = micros.values().reduce((sum, value) => sum + value, 0)
  return [...micros]
    .map(([name, value]) => ({ name, share: value / total }))
    .toSorted((a, b) => b.share - a.share)
}

const WARMING_SECONDS = 12
const PROFILED_SECONDS = 5
const FUNCTIONS_SHOWN = 25

/** Where the time goes: one process for each workload, warm, profiled for some seconds. */
export async function printProfiles(engine: Engine, workloads: readonly Workload[]): Promise<void> {
  for (const workload of workloads) {
    const folder = await mkdtemp(join(tmpdir(), 'headrace-profile-'))
    const toMicros = await profile(engine, workload, folder)
    const fromMicros = toMicros - PROFILED_SECONDS * 1e6
    const { groups, functions } = summarize(folder, fromMicros, toMicros)
    await rm(folder, { recursive: true })
    console.log(`\n${workload.name}`)
    for (const one of groups) console.log(describeShare(one))
    for (const one of functions.slice(0, FUNCTIONS_SHOWN)) console.log(`  ${describeShare(one)}`)
  }
}

/** Returns when the load ended; the profile is written when the api exits. */
async function profile(engine: Engine, { load }: Workload, folder: string): Promise<number> {
  const nodeFlags = ['--cpu-prof', `--cpu-prof-dir=${folder}`]
  await using headrace = await startHeadrace(engine.port, { nodeFlags })
  await warmUp(headrace, engine.pid, WARMING_SECONDS)
  const longer = [...load, '--duration', `${PROFILED_SECONDS}`]
  await runLoad(headrace, { load: longer }, engine.pid)
  return Number(process.hrtime.bigint() / 1000n)
}

function describeShare({ name, share }: Share): string {
  const shown = name.replace(/file:\S*\/(?=src|node_m)/, '')
  return `${(100 * share).toFixed(1).padStart(5)} %  ${shown}`
}
