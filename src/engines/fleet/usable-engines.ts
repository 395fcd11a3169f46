import { shareHeld } from './capacity/lease.ts'
import { eligibleMembers, usableMembers, type Eligibility } from './choose-engine.ts'
import type { Member } from './member.ts'

/** The engines of a model that requests are sent to, kept so that no request visits them all. */
export type UsableEngines = {
  /** Whatever a request needs. */
  readonly all: Usable
  /** Those of a request. */
  of(request: Eligibility): Usable
  /** The same text for requests that may be sent to the same engines. */
  groupOf(request: Eligibility): string
  setMembers(members: readonly Member[]): void
  /** An engine has changed. */
  forget(): void
}

export type Usable = {
  readonly members: readonly Member[]
  /** What all of them have, for all processes. */
  readonly slots: number
  /** The part of it that this process holds. */
  readonly share: number
}

/** So much later it may be noticed that an engine stalls, returns, or can do more. */
const KEPT_MS = 10

export function createUsableEngines(now: () => number = () => performance.now()): UsableEngines {
  let members: readonly Member[] = []
  /** Organizations with an engine of their own. */
  let owners: ReadonlySet<string> = new Set()
  const kept = new Map<string, Usable>()
  let keptUntilMs = -Infinity

  function groupOf({ organizationId, needs = [] }: Eligibility): string {
    const owner = organizationId !== undefined && owners.has(organizationId) ? organizationId : ''
    return needs.length === 0 ? owner : `${owner} ${needs.join(' ')}`
  }

  function usableOf(group: string, request: Eligibility | undefined): Usable {
    const nowMs = now()
    if (nowMs >= keptUntilMs) {
      kept.clear()
      keptUntilMs = nowMs + KEPT_MS
    }
    const known = kept.get(group)
    if (known !== undefined) return known
    const eligible = request === undefined ? members : eligibleMembers(members, request)
    const usable = usableMembers(eligible, nowMs)
    const leases = usable.map(({ lease }) => lease)
    const slots = leases.reduce((sum, { bound }) => sum + bound, 0)
    const made: Usable = { members: usable, slots, share: shareHeld(leases) }
    kept.set(group, made)
    return made
  }

  return {
    get all() {
      return usableOf('all', undefined)
    },
    of: (request) => usableOf(`of ${groupOf(request)}`, request),
    groupOf,
    setMembers(next) {
      members = next
      owners = new Set(next.flatMap(({ engine }) => engine.organizationId ?? []))
      keptUntilMs = -Infinity
    },
    forget: () => void (keptUntilMs = -Infinity),
  }
}
