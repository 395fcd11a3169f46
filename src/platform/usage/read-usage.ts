import type { Usage, UsageGroup, UsageQuery } from '../../contract/management/usage.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import {
  sumUsage,
  type GroupValue,
  type UsageFilter,
  type UsageSum,
} from '../../store/ledger/sum-usage.ts'
import { readBacklog } from '../../store/usage/usage-stream.ts'
import { ValkeyUnavailable } from '../../store/valkey/valkey.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { readFilter } from './own-account.ts'
import { invalid, readPeriod, sayWhatIsKept } from './period.ts'

/** More would be a download; see the export of usage. */
const GROUPS_MAX = 10_000
/** Days from sums per day, and from the larger sums per hour. */
const DAYS_MAX = 1_100
const HOURLY_DAYS_MAX = 31

type Group = NonNullable<UsageQuery['by']>[number]

/** The usage of an organization in groups; members see their own. */
export const readUsage = defineRead(
  { action: 'usage.read', permission: 'usage:read' },
  async ({ environment, database, access }, query: UsageQuery): Promise<Usage> =>
    sumsOf(environment, database, access.organization.id, {
      ...query,
      filter: readFilter(access, query),
    }),
)

/** The sums of an organization that the caller may see. */
export async function sumsOf(
  environment: Environment,
  database: Environment['database'],
  organizationId: string,
  { filter, ...query }: Pick<UsageQuery, 'from' | 'to' | 'by'> & { readonly filter: UsageFilter },
): Promise<Usage> {
  const by = query.by ?? []
  if (new Set(by).size < by.length) throw invalid('by', "'by' must name different groups.")
  const period = readPeriod(query, DAYS_MAX)
  const { fromMs, toMs } = period
  if (fromMs % HOUR_MS !== 0 || toMs % HOUR_MS !== 0)
    throw invalid('from', "'from' and 'to' must be whole hours.")
  const hourly = by.includes('hour') || fromMs % DAY_MS !== 0 || toMs % DAY_MS !== 0
  if (hourly && toMs - fromMs > HOURLY_DAYS_MAX * DAY_MS)
    throw invalid('from', `Hours can be summed for ${HOURLY_DAYS_MAX} days at most.`)
  const asked = { by, filter, limit: GROUPS_MAX + 1 }
  // Before the sums: what is posted in between is in them, and not promised.
  const postedUpTo = await readPostedUpTo(environment)
  const sums = await sumUsage(database, organizationId, period, asked).catch(sayWhatIsKept)
  if (sums.length > GROUPS_MAX)
    throw invalid('by', `There are more than ${GROUPS_MAX} groups. Choose a shorter period.`)
  const { currency } = environment.settings
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    posted_up_to: postedUpTo,
    data: sums.map((sum) => viewSum(sum, by, currency)),
  }
}

/** When the oldest record that is not posted was settled; now, if there is none. */
async function readPostedUpTo({ valkey }: Environment): Promise<string | null> {
  const now = Date.now()
  try {
    const { oldestMs } = await readBacklog(valkey)
    return new Date(oldestMs ?? now).toISOString()
  } catch (error) {
    if (error instanceof ValkeyUnavailable) return null
    throw error
  }
}

function viewSum(sum: UsageSum, by: readonly Group[], currency: string): UsageGroup {
  const groups = by.map((group, at) => [group, viewGroup(group, sum.groups[at]!)] as const)
  return {
    ...(Object.fromEntries(groups) as Pick<UsageGroup, Group>),
    requests: sum.requests,
    failed: sum.failed,
    prompt_tokens: sum.promptTokens,
    cached_tokens: sum.cachedTokens,
    completion_tokens: sum.completionTokens,
    reasoning_tokens: sum.reasoningTokens,
    cost: viewMoney(sum.cost, currency),
  }
}

function viewGroup(group: Group, { value, name, playground }: GroupValue) {
  if (group === 'key') return { id: value, kind: playground ? 'playground' : 'api_key', name }
  if (group === 'project' || group === 'member') return value === null ? null : { id: value, name }
  return value
}
