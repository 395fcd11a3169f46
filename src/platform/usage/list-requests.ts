import type { RequestsQuery } from '../../contract/management/requests-query.ts'
import type { RequestList } from '../../contract/management/usage.ts'
import { readNames } from '../../store/ledger/request-names.ts'
import { listRequests as listRecords } from '../../store/ledger/requests.ts'
import { isUuid } from '../../store/postgres/page.ts'
import { isEntryId, listRefusals } from '../../store/usage/read-refusals.ts'
import { explain, type Explanation } from '../../tenancy/explanation.ts'
import { defineRead } from '../use-case/use-case.ts'
import { readFilter } from './own-account.ts'
import { invalid, readTime } from './period.ts'
import { viewSummary } from './view-request.ts'
import { withValkey } from './with-valkey.ts'

const LIMIT_DEFAULT = 50

/** Requests, newest first; members see their own. */
export const listRequests = defineRead(
  { action: 'request.list', permission: 'requests:read' },
  async ({ environment, database, access }, query: RequestsQuery): Promise<RequestList> => {
    const organizationId = access.organization.id
    const filter = readFilter(access, query)
    const { after, outcome, status } = query
    if (status !== undefined && outcome !== 'refused')
      throw invalid('status', "'status' requires the outcome refused.")
    const page = { limit: query.limit ?? LIMIT_DEFAULT, ...(after !== undefined && { after }) }
    checkAfter(after, outcome === 'refused' ? isEntryId : isUuid)
    let found: { readonly explained: Explanation[]; readonly next: string | null; more: number }
    if (outcome === 'refused') {
      if (query.from !== undefined || query.to !== undefined)
        throw invalid(
          'from',
          'Refused requests are listed for the last week: leave out the period.',
        )
      const listed = await withValkey(() =>
        listRefusals(
          environment.valkey,
          organizationId,
          { ...filter, ...(status !== undefined && { status }) },
          page,
        ),
      )
      const explained = listed.refusals.map((refusal) => explain(undefined, refusal))
      found = { explained, next: listed.next, more: listed.more }
    } else {
      const [fromMs, toMs] = [readTime('from', query.from), readTime('to', query.to)]
      const wanted = {
        ...filter,
        ...(outcome !== undefined && { outcome }),
        ...(fromMs !== undefined && { fromMs }),
        ...(toMs !== undefined && { toMs }),
      }
      const listed = await listRecords(database, organizationId, wanted, page)
      const explained = listed.records.map((record) => explain(record, undefined))
      found = { explained, next: listed.next, more: 0 }
    }
    const { explained, next, more } = found
    const names = await readNames(database, explained)
    const shown = { names, currency: environment.settings.currency }
    return { data: explained.map((each) => viewSummary(each, shown)), next, more }
  },
)

function checkAfter(after: string | undefined, isValid: (text: string) => boolean): void {
  if (after === undefined || isValid(after)) return
  throw invalid('after', "'after' must be the `next` of a page.")
}
