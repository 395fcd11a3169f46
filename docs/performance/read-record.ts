import { readFileSync } from 'node:fs'

/** The median over the rounds, and each of them. */
type Rounds = { readonly median: number; readonly rounds: readonly number[] }

export type Measurement = {
  readonly workload: string
  readonly target: string
  readonly per: string
  readonly us: Rounds
  readonly per_second: Rounds
  readonly core: Rounds
  readonly first_p50_ms: Rounds
  readonly first_p99_ms: Rounds
}

export type Bar = {
  readonly name: string
  /** Null if there was nothing to compare with. */
  readonly value: number | null
  readonly max?: number
  readonly min?: number
  readonly unit: string
}

/** What `npm run prove -- cost --peers --record FILE` writes. */
export type RunRecord = {
  readonly date: string
  readonly commit: string
  readonly machine: {
    readonly cores: number
    readonly cpu: string
    readonly memory_gib: number
    readonly node: string
    readonly load_averages: readonly number[]
  }
  readonly rounds: number
  readonly targets: readonly { readonly name: string; readonly version: string }[]
  readonly bars: readonly Bar[]
  readonly idle_stream_kib: Readonly<Record<string, number>>
  readonly measurements: readonly Measurement[]
}

/** The engine without a gateway, from which what others add is counted. */
export const DIRECT = 'direct'

const NAMES: Readonly<Record<string, string>> = {
  nginx: 'nginx',
  'sglang-router': 'sglang-router',
  headrace: 'Headrace',
  portkey: 'Portkey',
  litellm: 'LiteLLM',
}

export function readRecord(file: URL): RunRecord {
  return JSON.parse(readFileSync(file, 'utf8')) as RunRecord
}

/** Everything that stands between clients and the engine, in the order of the record. */
export function listTargets({ targets }: RunRecord): string[] {
  return targets.map(({ name }) => name).filter((name) => name !== DIRECT)
}

export function titleOf(target: string): string {
  return NAMES[target] ?? target
}

export function find(
  { measurements }: RunRecord,
  workload: string,
  target: string,
): Measurement | undefined {
  return measurements.find((one) => one.workload === workload && one.target === target)
}

/** Milliseconds that a target adds to the time to the first byte. */
export function firstAddedMs(
  record: RunRecord,
  workload: string,
  target: string,
  rank: 'first_p50_ms' | 'first_p99_ms',
): number | undefined {
  const through = find(record, workload, target)
  const direct = find(record, workload, DIRECT)
  if (through === undefined || direct === undefined) return undefined
  return through[rank].median - direct[rank].median
}

/** A stream workload that the target could not keep up with. */
export function isSaturated({ workload, per_second: perSecond }: Measurement): boolean {
  const wanted = EVENTS_PER_SECOND[workload]
  return wanted !== undefined && perSecond.median < KEPT_UP_SHARE * wanted
}

const EVENTS_PER_SECOND: Readonly<Record<string, number>> = { events10k: 10_000, events25k: 25_000 }
const KEPT_UP_SHARE = 0.9

/** Three digits are as much as a run can tell. */
export function showNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
}
