import { clockCost } from '../../../tenancy/usage-record.ts'

/** How much each organization was served, for one model. */
export type Clocks = {
  /** The clock of an organization, with what it runs here. */
  at(organizationId: string): number
  /** The highest clock of a request that was started, here or elsewhere. */
  readonly present: number
  /**
   * Learns the clock that all processes share, and that the organization asks for something while
   * the lowest clock that waits anywhere is this; Infinity if nobody waits.
   */
  learn(organizationId: string, shared: number, lowestWaiting: number): void
  /** Learns what other processes have started. */
  passed(present: number): void
  /** What a request will probably cost, by the usual output of its organization. */
  expect(organizationId: string, size: RequestSize): number
  /** A request starts. Returns the clock from which its use counts. */
  started(organizationId: string, cost: number): number
  /** It ended: what it used, if that is known, replaces the cost that was expected. */
  ended(organizationId: string, size: RequestSize, cost: number, used: Use | undefined): void
}

export type RequestSize = {
  readonly inputTokens: number
  readonly outputTokensMax: number
  /** Of its organization: twice the weight is twice the share. */
  readonly weight: number
}

/** What a generation used; cached tokens take an engine next to no time. */
export type Use = {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
}

type Clock = {
  /** What was used, shared by all processes. */
  used: number
  /** The expected cost of what runs here. */
  running: number
  /** The usual number of output tokens. */
  output: number
}

/** Beyond it, the clock of the organization that was served longest ago is forgotten. */
const CLOCKS_MAX = 10_000
/** Output that is expected of an organization that was not served yet. */
const OUTPUT_TOKENS = 256
/** Weight of the newest request in the usual output. */
const OUTPUT_WEIGHT = 0.2

/**
 * Start-time fair queueing: the clock of an organization advances by what it uses, and the one
 * furthest behind is next. One that has nothing waiting starts with the first of those that wait,
 * or at the present if nobody does, so that idling earns nothing; or at its clock if that is later,
 * so that it cannot gain by returning.
 */
export function createClocks(isWaiting: (organizationId: string) => boolean): Clocks {
  // In the order in which they were last set.
  const clocks = new Map<string, Clock>()
  let newest: string | undefined
  let present = 0

  function forgetOldest(): void {
    const [oldest] = clocks
    if (oldest === undefined) return
    const [organizationId, clock] = oldest
    clocks.delete(organizationId)
    if (clock.running > 0 || isWaiting(organizationId)) clocks.set(organizationId, clock)
  }

  function clockOf(organizationId: string): Clock {
    const known = clocks.get(organizationId)
    if (known !== undefined && organizationId === newest) return known
    const clock = known ?? { used: 0, running: 0, output: OUTPUT_TOKENS }
    clocks.delete(organizationId)
    clocks.set(organizationId, clock)
    newest = organizationId
    if (clocks.size > CLOCKS_MAX) forgetOldest()
    return clock
  }

  const sum = ({ used, running }: Clock) => used + running

  return {
    get present() {
      return present
    },
    at(organizationId) {
      const clock = clocks.get(organizationId)
      return clock === undefined ? present : sum(clock)
    },
    learn(organizationId, shared, lowestWaiting) {
      const clock = clockOf(organizationId)
      clock.used = Math.max(clock.used, shared)
      if (isWaiting(organizationId)) return
      clock.used += Math.max(0, Math.min(present, lowestWaiting) - sum(clock))
    },
    passed: (started) => void (present = Math.max(present, started)),
    started(organizationId, cost) {
      const clock = clockOf(organizationId)
      present = Math.max(present, sum(clock))
      clock.running += cost
      return clock.used
    },
    expect(organizationId, { inputTokens, outputTokensMax, weight }) {
      const { output } = clockOf(organizationId)
      const completionTokens = Math.min(output, outputTokensMax)
      return clockCost({ promptTokens: inputTokens, cachedTokens: 0, completionTokens }, weight)
    },
    ended(organizationId, { weight }, cost, used) {
      const clock = clockOf(organizationId)
      clock.running -= cost
      if (used === undefined) {
        clock.used += cost
        return
      }
      clock.used += clockCost(used, weight)
      clock.output += (used.completionTokens - clock.output) * OUTPUT_WEIGHT
    },
  }
}
