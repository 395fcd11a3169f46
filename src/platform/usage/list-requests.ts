import type { Kysely } from 'kysely'
import type { RequestsQuery } from '../../contract/management/requests-query.ts'
import type { RequestList } from '../../contract/management/usage.ts'
import { readNames } from '../../store/ledger/request-names.ts'
import { listRequests as listRecords } from '../../store/ledger/requests.ts'
import { isUuid, type Page } from '../../store/postgres/page.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { isEntryId, listRefusals } from '../../store/usage/read-refusals.ts'
import { explain, type Explanation } from '../../tenancy/explanation.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineRead } from '../use-case/use-case.ts'
import { readFilter } from './own-account.ts'
import { invalid, readTime } from './period.ts'
import { viewSummary } from './view-request.ts'
import { withValkey } from './with-valkey.ts'

const LIMIT_DEFAULT = 50

/** Costs and durations have no index: so many of the newest are read, and sorted here. */
const SORTED_MAX = 2_000

type Found = {
  readonly explained: readonly Explanation[]
  readonly next: string | null
  readonly more: number
}

/** Requests, newest first or the highest first; members see their own. */
export const listRequests = defineRead(
  { action: 'request.list', permission: 'requests:read' },
  async (reading, query: RequestsQuery): Promise<RequestList> => {
    const { environment, database, access } = reading
    const filter = readFilter(access, query)
    checkCombination(query)
    const { explained, next, more } =
      query.outcome === 'refused'
        ? await findRefused(reading, query, filter)
        : await findRecorded(reading, query, filter)
    const names = await readNames(database, explained)
    const shown = { names, currency: environment.settings.currency }
    return { data: explained.map((each) => viewSummary(each, shown)), next, more }
  },
)

function checkCombination({ after, outcome, status, sort, from, to }: RequestsQuery): void {
  const isRefused = outcome === 'refused'
  if (status !== undefined && !isRefused)
    throw invalid('status', "'status' requires the outcome refused.")
  if (isRefused && sort !== undefined)
    throw invalid('sort', "'sort' is not for the outcome refused.")
  if (sort !== undefined && after !== undefined)
    throw invalid('after', "A list with 'sort' has one page.")
  checkAfter(after, isRefused ? isEntryId : isUuid)
  if (isRefused && (from !== undefined || to !== undefined))
    throw invalid('from', 'Refused requests are listed for the last week: leave out the period.')
}

type Reading = {
  readonly environment: Environment
  readonly database: Kysely<Tables>
  readonly access: { readonly organization: { readonly id: string } }
}
type Filter = ReturnType<typeof readFilter>

async function findRefused(
  { environment, access }: Reading,
  { status, ...query }: RequestsQuery,
  filter: Filter,
): Promise<Found> {
  const wanted = { ...filter, ...(status !== undefined && { status }) }
  const { refusals, next, more } = await withValkey(() =>
    listRefusals(environment.valkey, access.organization.id, wanted, pageOf(query)),
  )
  return { explained: refusals.map((refusal) => explain(undefined, refusal)), next, more }
}

async function findRecorded(
  { database, access }: Reading,
  { outcome, sort, ...query }: RequestsQuery,
  filter: Filter,
): Promise<Found> {
  const [fromMs, toMs] = [readTime('from', query.from), readTime('to', query.to)]
  const wanted = {
    ...filter,
    ...(outcome !== undefined && outcome !== 'refused' && { outcome }),
    ...(fromMs !== undefined && { fromMs }),
    ...(toMs !== undefined && { toMs }),
  }
  const page = pageOf(query)
  const read = sort === undefined ? page : { limit: SORTED_MAX }
  const { records, next } = await listRecords(database, access.organization.id, wanted, read)
  const shown = sort === undefined ? records : highest(records, sort).slice(0, page.limit)
  return {
    explained: shown.map((record) => explain(record, undefined)),
    next: sort === undefined ? next : null,
    more: 0,
  }
}

function pageOf({ limit = LIMIT_DEFAULT, after }: RequestsQuery): Page {
  return { limit, ...(after !== undefined && { after }) }
}

function highest(records: readonly UsageRecord[], sort: 'cost' | 'duration'): UsageRecord[] {
  const valueOf = ({ cost, durationMs }: UsageRecord) => (sort === 'cost' ? cost : durationMs) ?? 0
  return records.toSorted((one, other) => valueOf(other) - valueOf(one))
}

function checkAfter(after: string | undefined, isValid: (text: string) => boolean): void {
  if (after === undefined || isValid(after)) return
  throw invalid('after', "'after' must be the `next` of a page.")
}
