import { virtualTimeCost } from '../../../tenancy/usage-record.ts'

/** How much each organization was served, for one model: its virtual time. */
export type VirtualTimes = {
  /** The virtual time of an organization, with what it runs here. */
  at(organizationId: string): number
  /** The highest virtual time of a request that was started, here or elsewhere. */
  readonly present: number
  /**
   * Learns the virtual time that all processes share, and that the organization asks for something
   * while the lowest that waits anywhere is this; Infinity if nobody waits.
   */
  learn(organizationId: string, shared: number, lowestWaiting: number): void
  /** Learns what other processes have started. */
  passed(present: number): void
  /** What a request will probably cost, by the usual output of its organization. */
  expect(organizationId: string, size: RequestSize): number
  /** A request starts. Returns its start tag: the virtual time from which its use counts. */
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

/** The queue whose order depends on virtual times. */
type Queue = {
  countOf(organizationId: string): number
  moved(organizationId: string): void
}

type Served = {
  /** What was used, shared by all processes. */
  used: number
  /** The expected cost of what runs here. */
  running: number
  /** The usual number of output tokens. */
  output: number
}

/** Beyond it, the organization that was served longest ago is forgotten. */
const ORGANIZATIONS_MAX = 10_000
/** Output that is expected of an organization that was not served yet. */
const OUTPUT_TOKENS = 256
/** Weight of the newest request in the usual output. */
const OUTPUT_WEIGHT = 0.2

/**
 * Start-time fair queueing: the virtual time of an organization advances by what it uses, and the
 * one furthest behind is next. One that has nothing waiting starts with the first of those that
 * wait, or at the present if nobody does, so that idling earns nothing; or at its own virtual time
 * if that is later, so that it cannot gain by returning.
 */
export function createVirtualTimes(queue: () => Queue): VirtualTimes {
  // In the order in which they were last set.
  const times = new Map<string, Served>()
  let newest: string | undefined
  let present = 0
  const isWaiting = (organizationId: string) => queue().countOf(organizationId) > 0

  function forgetOldest(): void {
    const [oldest] = times
    if (oldest === undefined) return
    const [organizationId, served] = oldest
    times.delete(organizationId)
    if (served.running > 0 || isWaiting(organizationId)) times.set(organizationId, served)
  }

  function servedOf(organizationId: string): Served {
    const known = times.get(organizationId)
    if (known !== undefined && organizationId === newest) return known
    const served = known ?? { used: 0, running: 0, output: OUTPUT_TOKENS }
    times.delete(organizationId)
    times.set(organizationId, served)
    newest = organizationId
    if (times.size > ORGANIZATIONS_MAX) forgetOldest()
    return served
  }

  const sum = ({ used, running }: Served) => used + running

  return {
    get present() {
      return present
    },
    at(organizationId) {
      const served = times.get(organizationId)
      return served === undefined ? present : sum(served)
    },
    learn(organizationId, shared, lowestWaiting) {
      const served = servedOf(organizationId)
      served.used = Math.max(served.used, shared)
      if (isWaiting(organizationId)) return queue().moved(organizationId)
      served.used += Math.max(0, Math.min(present, lowestWaiting) - sum(served))
    },
    passed: (started) => void (present = Math.max(present, started)),
    started(organizationId, cost) {
      const served = servedOf(organizationId)
      present = Math.max(present, sum(served))
      served.running += cost
      queue().moved(organizationId)
      return served.used
    },
    expect(organizationId, { inputTokens, outputTokensMax, weight }) {
      const { output } = servedOf(organizationId)
      const completionTokens = Math.min(output, outputTokensMax)
      return virtualTimeCost(
        { promptTokens: inputTokens, cachedTokens: 0, completionTokens },
        weight,
      )
    },
    ended(organizationId, { weight }, cost, used) {
      const served = servedOf(organizationId)
      served.running -= cost
      served.used += used === undefined ? cost : virtualTimeCost(used, weight)
      if (used !== undefined)
        served.output += (used.completionTokens - served.output) * OUTPUT_WEIGHT
      queue().moved(organizationId)
    },
  }
}
