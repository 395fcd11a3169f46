import { worstState } from './engine-severity.ts'
import type { EngineState, PoolState } from '../management/operator-system.ts'

/** One engine as several processes see it together. */
export type MergedEngine = {
  readonly state: NonNullable<EngineState['state']>
  readonly since: string | null
  readonly reason: string | null
  /** Slots for all processes: of the configuration, and those that the engine really has. */
  readonly capacity: number
  readonly found: number
  /** Slots that processes hold, and those of them in use. */
  readonly leased: number
  readonly running: number
  readonly waitingInside: number | null
  readonly firstTokenMs: number | null
  readonly tokensPerSecond: number | null
  readonly prefillTokensPerSecond: number | null
  readonly cachedShare: number | null
  readonly conversations: number | null
  readonly exceptions: number | null
  readonly ejections: number
  readonly faults: Readonly<
    Record<string, { readonly count: number; readonly organizations: number }>
  >
  readonly probedAt: string | null
  readonly version: string | null
}

/** `states` has one entry for each process that uses the engine, at least one. */
export function mergeEngineStates(states: readonly EngineState[]): MergedEngine {
  const told = (state: EngineState) => state.state ?? (state.healthy ? 'ready' : 'ejected')
  const state = worstState(states.map(told))
  const same = states.filter((one) => told(one) === state)
  const read = <Value>(field: (state: EngineState) => Value | null | undefined) =>
    states.flatMap((one) => {
      const value = field(one)
      return value === null || value === undefined ? [] : [value]
    })
  const capacity = max(read((one) => one.capacity)) ?? sum(read((one) => one.slots))
  const running = sum(read((one) => one.slots_in_use))
  const leased = read((one) => one.leased)
  const conversations = read((one) => one.conversations)
  return {
    state,
    since: same.flatMap(({ since }) => since ?? []).toSorted()[0] ?? null,
    reason: same.find(({ reason }) => reason !== undefined)?.reason ?? null,
    capacity,
    found: max(read((one) => one.found)) ?? capacity,
    leased: leased.length === 0 ? running : sum(leased),
    running,
    waitingInside: max(read((one) => one.waiting_inside)),
    firstTokenMs: mean(read((one) => one.first_token_ms)),
    tokensPerSecond: mean(read((one) => one.tokens_per_second)),
    prefillTokensPerSecond: mean(read((one) => one.prefill_tokens_per_second)),
    cachedShare: mean(read((one) => one.cached_share)),
    conversations: conversations.length === 0 ? null : sum(conversations),
    exceptions: max(read((one) => one.exceptions)),
    ejections: sum(read((one) => one.ejections)),
    faults: mergeFaults(read((one) => one.faults)),
    probedAt:
      read((one) => one.probed_at)
        .toSorted()
        .at(-1) ?? null,
    version: read((one) => one.version)[0] ?? null,
  }
}

export type MergedPool = Omit<PoolState, 'heaviest'> & {
  readonly heaviest: readonly { readonly organization_id: string; readonly share: number }[]
}

/** As many organizations as one process names. */
const HEAVIEST_MAX = 10

type Pool = Readonly<Omit<PoolState, 'heaviest'>> & {
  readonly heaviest: readonly PoolState['heaviest'][number][]
}

/** The queues of one model in several processes. */
export function mergePools(pools: readonly Pool[]): MergedPool {
  const total = (field: 'waiting' | 'running' | 'tokens') => sum(pools.map((pool) => pool[field]))
  const refusals: Record<string, number> = {}
  const tokensOf = new Map<string, number>()
  for (const pool of pools) {
    for (const [reason, count] of Object.entries(pool.refusals))
      refusals[reason] = (refusals[reason] ?? 0) + count
    for (const { organization_id: id, tokens } of pool.heaviest)
      tokensOf.set(id, (tokensOf.get(id) ?? 0) + tokens)
  }
  const all = total('tokens')
  const heaviest = [...tokensOf].toSorted(([, a], [, b]) => b - a).slice(0, HEAVIEST_MAX)
  return {
    waiting: total('waiting'),
    running: total('running'),
    expected_wait_seconds: max(pools.map((pool) => pool.expected_wait_seconds)) ?? 0,
    refusals,
    tokens: all,
    heaviest: heaviest.map(([id, tokens]) => ({
      organization_id: id,
      share: all === 0 ? 0 : Math.min(1, tokens / all),
    })),
  }
}

function mergeFaults(all: readonly NonNullable<EngineState['faults']>[]): MergedEngine['faults'] {
  const merged: Record<string, { count: number; organizations: number }> = {}
  for (const faults of all)
    for (const [kind, { count, organizations }] of Object.entries(faults)) {
      const known = merged[kind] ?? { count: 0, organizations: 0 }
      merged[kind] = {
        count: known.count + count,
        // The same organization may be counted by several processes.
        organizations: Math.max(known.organizations, organizations),
      }
    }
  return merged
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function max(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values)
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : sum(values) / values.length
}
