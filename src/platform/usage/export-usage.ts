import type { ExportQuery } from '../../contract/management/usage.ts'
import { csvLine } from '../../lib/csv.ts'
import { inBrackets } from '../../lib/in-brackets.ts'
import { timeOfUuid } from '../../lib/uuid.ts'
import { checkKept, type Period } from '../../store/ledger/kept-usage.ts'
import { readEmails, readNames, type Names } from '../../store/ledger/request-names.ts'
import { listRequests } from '../../store/ledger/requests.ts'
import type { UsageFilter } from '../../store/ledger/sum-usage.ts'
import { formatAmount } from '../../tenancy/money/amount.ts'
import type { UsageRecord } from '../../tenancy/usage-record.ts'
import type { Environment } from '../use-case/environment.ts'
import { defineExport } from '../use-case/use-case.ts'
import { readFilter } from './own-account.ts'
import { readPeriod, sayWhatIsKept } from './period.ts'
import { toEvent } from './to-event.ts'

const DAYS_MAX = 366
const PAGE_RECORDS = 1_000

/** The usage records of a period, newest first, in pages; members export their own. */
export const exportUsage = defineExport(
  { action: 'usage.export', permission: 'usage:read' },
  async ({ environment, database, access }, query: ExportQuery) => {
    const period = readPeriod(query, DAYS_MAX)
    const filter = readFilter(access, query)
    const { project, key, model } = query
    await checkKept(database, 'usage_records', period).catch(sayWhatIsKept)
    const { id, slug } = access.organization
    const { contentType, extension, format } = FORMATS[query.format ?? 'json']
    const [from, to] = [period.fromMs, period.toMs].map((ms) => new Date(ms).toISOString())
    return {
      contentType,
      facts: { from, to, format: extension, project, key, member: filter.accountId, model },
      fileName: `${slug}-usage-${from?.slice(0, 10)}-${to?.slice(0, 10)}.${extension}`,
      parts: format(pagesOf(environment, id, filter, period), senderOf(environment)),
    }
  },
)

type Sender = { readonly source: string; readonly currency: string }
/** A usage record with what people call its project, its key and its member. */
type Named = UsageRecord & { readonly names: Names; readonly emails: Names }
type Pages = AsyncIterable<readonly Named[]>

function senderOf({ settings }: Environment): Sender {
  return { source: settings.console.public_url, currency: settings.currency }
}

async function* pagesOf(
  { database }: Environment,
  organizationId: string,
  filter: UsageFilter,
  period: Period,
): AsyncGenerator<readonly Named[], void> {
  for (let after: string | null | undefined; after !== null;) {
    const page = { limit: PAGE_RECORDS, ...(after !== undefined && { after }) }
    const found = await listRequests(database, organizationId, { ...filter, ...period }, page)
    const { records } = found
    const names = await readNames(database, records)
    const emails = await readEmails(
      database,
      records.map(({ accountId }) => accountId),
    )
    yield records.map((record) => ({ ...record, names, emails }))
    after = found.next
  }
}

const FORMATS = {
  json: {
    contentType: 'application/json',
    extension: 'json',
    format: (pages: Pages, sender: Sender) =>
      inBrackets('{"data":[\n', pages, (record) => JSON.stringify(rowOf(record, sender)), '\n]}\n'),
  },
  csv: { contentType: 'text/csv; charset=utf-8', extension: 'csv', format: asCsv },
  cloudevents: {
    contentType: 'application/cloudevents-batch+json',
    extension: 'json',
    format: (pages: Pages, sender: Sender) =>
      inBrackets('[\n', pages, (record) => JSON.stringify(eventOf(record, sender)), '\n]\n'),
  },
} as const

function eventOf(record: UsageRecord, sender: Sender) {
  return toEvent({ ...record, settledAt: new Date(record.settledAtMs) }, sender)
}

type ExportedRow = ReturnType<typeof rowOf>

function rowOf(record: Named, { currency }: Sender) {
  const { names, emails, accountId } = record
  return {
    id: record.id,
    made_at: new Date(timeOfUuid(record.id)).toISOString(),
    project: record.projectId,
    project_name: names.get(record.projectId) ?? null,
    key: record.credentialId,
    key_name: names.get(record.credentialId) ?? null,
    key_kind: record.credentialKind,
    member: accountId,
    member_email: accountId === null ? null : (emails.get(accountId) ?? null),
    model: record.model,
    outcome: record.outcome,
    basis: record.basis,
    prompt_tokens: record.promptTokens,
    cached_tokens: record.cachedTokens,
    completion_tokens: record.completionTokens,
    reasoning_tokens: record.reasoningTokens,
    cost: formatAmount(record.cost),
    cost_micro: record.cost,
    currency,
    duration_ms: record.durationMs,
  }
}

const COLUMNS = [
  'id',
  'made_at',
  'project',
  'project_name',
  'key',
  'key_name',
  'key_kind',
  'member',
  'member_email',
  'model',
  'outcome',
  'basis',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost',
  'cost_micro',
  'currency',
  'duration_ms',
] as const satisfies (keyof ExportedRow)[]

async function* asCsv(pages: Pages, sender: Sender): AsyncGenerator<string, void> {
  yield csvLine(COLUMNS)
  for await (const page of pages)
    yield page
      .map((record) => {
        const row = rowOf(record, sender)
        return csvLine(COLUMNS.map((name) => row[name]))
      })
      .join('')
}
