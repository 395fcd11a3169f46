import { HEAVIEST_MAX, type PoolState } from '../../../contract/management/operator-system.ts'
import { MINUTE_MS } from '../../../lib/time.ts'

/** What operators want to know of one model's queue. */
export type PoolFigures = {
  refused(reason: RefusalReason): void
  /** A request got a slot. */
  began(): void
  /** It is over. `tokens` is undefined if what it used is not known. */
  ended(organizationId: string, tokens: number | undefined): void
  view(): Pick<PoolState, 'running' | 'refusals' | 'tokens' | 'heaviest'>
}

/**
 * Why a request got no slot: nobody could wait any more, it would have waited longer than it may,
 * or it waited that long.
 */
export type RefusalReason = 'queue_full' | 'too_long' | 'timed_out'

/** Tokens count half after this time. */
const HALF_LIFE_MS = 5 * MINUTE_MS
/** Many more than are shown, so that one that was left out is not a heavy one. */
const ORGANIZATIONS_MAX = 256

export function createPoolFigures(now: () => number = () => performance.now()): PoolFigures {
  const refusals: Record<RefusalReason, number> = { queue_full: 0, too_long: 0, timed_out: 0 }
  let running = 0
  const tokensOf = new Map<string, number>()
  let total = 0
  // Instead of lowering all sums all the time, what is added later weighs more.
  let originMs = now()

  function weight(): number {
    return 2 ** ((now() - originMs) / HALF_LIFE_MS)
  }

  /** Keeps the sums small enough to be exact, at most once in ten half-lives. */
  function rebase(): void {
    const factor = weight()
    if (factor < 2 ** 10) return
    for (const [organizationId, tokens] of tokensOf) {
      if (tokens < factor) tokensOf.delete(organizationId)
      else tokensOf.set(organizationId, tokens / factor)
    }
    total /= factor
    originMs = now()
  }

  return {
    refused: (reason) => void (refusals[reason] += 1),
    began: () => void (running += 1),
    ended(organizationId, tokens) {
      running -= 1
      if (tokens === undefined) return
      rebase()
      const weighted = tokens * weight()
      total += weighted
      const known = tokensOf.get(organizationId)
      if (known === undefined && tokensOf.size >= ORGANIZATIONS_MAX) {
        const [least, leastTokens] = smallest(tokensOf)
        tokensOf.delete(least)
        // It may have been here before and was dropped with at most as much.
        tokensOf.set(organizationId, leastTokens + weighted)
      } else tokensOf.set(organizationId, (known ?? 0) + weighted)
    },
    view() {
      const factor = weight()
      const heaviest = [...tokensOf].toSorted(([, a], [, b]) => b - a).slice(0, HEAVIEST_MAX)
      return {
        running,
        refusals: { ...refusals },
        tokens: Math.round(total / factor),
        heaviest: heaviest.map(([organizationId, tokens]) => ({
          organization_id: organizationId,
          tokens: Math.round(tokens / factor),
        })),
      }
    },
  }
}

function smallest(tokensOf: ReadonlyMap<string, number>): [string, number] {
  let least: [string, number] = ['', Infinity]
  for (const entry of tokensOf) if (entry[1] < least[1]) least = entry
  return least
}
