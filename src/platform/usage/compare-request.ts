import type { RequestMinute } from '../../contract/management/usage.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { listRequests } from '../../store/ledger/requests.ts'
import { countRefusals } from '../../store/usage/read-refusals.ts'
import { ValkeyUnavailable } from '../../store/valkey/valkey.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'
import { notFound } from '../use-case/authorize.ts'
import { defineRead } from '../use-case/use-case.ts'
import { findExplained } from './find-explained.ts'
import { ownAccount } from './own-account.ts'

/** The newest of the minute. Medians of more would cost more and say the same. */
const REQUESTS_MAX = 500

/**
 * The minute in which a request began: what else the organization sent, and how long it took.
 * Members see their own. It reads at most 1,000 usage records, by an index, and the refusals of
 * the minute, of which there are about 1,000 at most.
 */
export const compareRequest = defineRead(
  { action: 'request.compare', permission: 'requests:read' },
  async ({ environment, database, access }, { id }: { readonly id: string }) => {
    const { organization } = access
    const own = ownAccount(access)
    const explained = await findExplained(environment, id, organization.id)
    if (explained === undefined) throw notFound()
    if (own !== undefined && explained.accountId !== own) throw notFound()
    const fromMs = Math.floor(explained.madeAtMs / MINUTE_MS) * MINUTE_MS
    const minute = { fromMs, toMs: fromMs + MINUTE_MS }
    const filter = own === undefined ? {} : { accountId: own }
    const [listed, refused] = await Promise.all([
      listRequests(database, organization.id, { ...filter, ...minute }, { limit: REQUESTS_MAX }),
      countRefusals(environment.valkey, organization.id, filter, minute).catch(notKnown),
    ])
    const { records, next } = listed
    return {
      from: new Date(minute.fromMs).toISOString(),
      to: new Date(minute.toMs).toISOString(),
      requests: records.length,
      more: next !== null,
      unfinished: records.filter(({ outcome }) => outcome !== 'completed').length,
      refused,
      same_model: explained.model === null ? null : mediansOf(records, explained.model),
    } satisfies RequestMinute
  },
)

/** The usage records say enough without the refusals. */
function notKnown(error: unknown): null {
  if (error instanceof ValkeyUnavailable) return null
  throw error
}

function mediansOf(records: readonly UsageRecord[], model: string): RequestMinute['same_model'] {
  const same = records.filter((each) => each.model === model && each.outcome === 'completed')
  return {
    requests: same.length,
    queued_ms: medianOf(same.map(({ queuedMs }) => queuedMs)),
    first_token_ms: medianOf(same.map(({ firstTokenMs }) => firstTokenMs)),
    duration_ms: medianOf(same.map(({ durationMs }) => durationMs)),
  }
}

/** Of those that are known; null if none is. */
function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b)
  const [low, high] = [known[(known.length - 1) >> 1], known[known.length >> 1]]
  return low === undefined || high === undefined ? null : (low + high) / 2
}
