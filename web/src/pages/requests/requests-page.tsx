import { oneOf, present, type SearchChange } from '../../shell/search.ts'
import { getRouteApi, Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import type { RequestSummary } from '../../api/routes.ts'
import { formatAmount, formatCount, UNKNOWN } from '../../format/number.ts'
import { formatDuration, formatInstant, formatMoment, zoneName } from '../../format/time.ts'
import { ShortId } from '../../parts/copy.tsx'
import { Filter } from '../../parts/filter.tsx'
import { Name } from '../../parts/name.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { sortColumn, type Sorting } from '../../parts/sort-column.tsx'
import { ListTable, type Column } from '../../parts/table.tsx'
import { PERIOD_OPTIONS, type Period } from '../../parts/use-period.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { period } from '../../words/periods.ts'
import { requests as words } from '../../words/requests.ts'
import { rangeOf } from '../usage/period.ts'
import { SPLITS } from '../usage/search.ts'
import { UsedFilter } from '../usage/used-filter.tsx'
import { AllLinks } from './link-list.tsx'
import { OutcomeTag } from './outcome-tag.tsx'
import { PasteId } from './paste-id.tsx'
import { OUTCOME_FILTERS, STATUSES, type OutcomeFilter, type RequestsSearch } from './search.ts'
import { isSortable, useRequests } from './use-requests.ts'
import styles from './requests.module.css'

const route = getRouteApi('/app/o/$slug/requests')

export function RequestsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useRequests(search)
  const { may } = useOrganization()
  const choose = (change: SearchChange<RequestsSearch>) =>
    void navigate({ search: (before) => present({ ...before, ...change }), replace: true })
  const sort = isSortable(search) ? search.sort : undefined
  const filtered = Object.keys(search).some((name) => name !== 'sort')
  const sorting = isSortable(search)
    ? {
        sort,
        order: 'desc' as const,
        onSort: (by: 'cost' | 'duration') => choose({ sort: by === sort ? undefined : by }),
      }
    : undefined
  return (
    <Page
      title={words.title}
      sub={sort === undefined ? words.sub : words.sorted}
      actions={
        <>
          {may('request-links:write') && <AllLinks />}
          <PasteId />
        </>
      }
    >
      <RequestFilters search={search} choose={choose} />
      <section className="card">
        <ListTable
          caption={words.caption}
          what={words.title}
          columns={columns(sorting)}
          list={list}
          row={(request) => <RequestRow key={request.id} request={request} />}
          empty={
            <Empty title={filtered ? words.emptyFiltered : words.empty}>
              {filtered ? words.emptyFilteredText : words.emptyText}
            </Empty>
          }
          className={styles.requests}
        />
      </section>
    </Page>
  )
}

function columns(sorting: Sorting<'cost' | 'duration'> | undefined): Column[] {
  const { columns: names } = words
  const sorted = (column: Column, by: 'cost' | 'duration') =>
    sorting === undefined ? column : sortColumn(column, { by, first: 'desc', ...sorting })
  return [
    { name: names.time(zoneName()) },
    { name: names.id, className: 'opt opt-2' },
    { name: names.model },
    { name: names.key, className: 'opt opt-1' },
    { name: names.outcome },
    { name: names.input, numeric: true },
    { name: names.output, numeric: true },
    sorted({ name: names.cost, numeric: true }, 'cost'),
    { name: names.firstToken, numeric: true, className: 'opt' },
    sorted({ name: names.duration, numeric: true, className: 'opt' }, 'duration'),
  ]
}

function RequestRow({ request }: { readonly request: RequestSummary }) {
  const { slug } = useOrganization()
  const { id, made_at: madeAt, model, key, tokens, cost } = request
  const name = key.name ?? key.id
  return (
    <tr data-row={id}>
      <th scope="row">
        <Link to="/o/$slug/requests/$request" params={{ slug, request: id }}>
          <time dateTime={madeAt} title={formatInstant(madeAt, 'UTC')} className="num">
            {formatMoment(madeAt)}
          </time>
        </Link>
      </th>
      <td className="opt opt-2" data-label={words.columns.id}>
        <ShortId value={id} what={everywhere.requestId} />
      </td>
      <td data-label={words.columns.model}>
        {model === null ? (
          UNKNOWN
        ) : (
          <code className="xs">
            <Name value={model} />
          </code>
        )}
      </td>
      <td className="opt opt-1" data-label={words.columns.key}>
        <Name value={key.kind === 'playground' ? words.playground : name} />
      </td>
      <td data-label={words.columns.outcome}>
        <OutcomeTag request={request} />
      </td>
      <Figure label={words.columns.input} value={tokens?.prompt_tokens} />
      <Figure label={words.columns.output} value={tokens?.completion_tokens} />
      <td className="num" data-label={words.columns.cost} data-value={cost?.amount_micro ?? ''}>
        {formatAmount(cost?.amount_micro, 6)}
      </td>
      <td className="num opt" data-label={words.columns.firstToken}>
        {formatDuration(request.first_token_ms)}
      </td>
      <td className="num opt" data-label={words.columns.duration}>
        {formatDuration(request.duration_ms)}
      </td>
    </tr>
  )
}

function Figure({ label, value }: { readonly label: string; readonly value: number | undefined }) {
  return (
    <td className="num" data-label={label} data-value={value ?? ''}>
      {formatCount(value)}
    </td>
  )
}

function RequestFilters({
  search,
  choose,
}: {
  readonly search: RequestsSearch
  readonly choose: (change: SearchChange<RequestsSearch>) => void
}) {
  const [range] = useState(() => rangeOf({}, Date.now()))
  const { from, to } = search
  return (
    <div className="filters">
      <Filter
        label={words.columns.outcome}
        options={OUTCOME_FILTERS.map((value) => ({ value, label: words.filters[value] }))}
        chosen={search.outcome}
        onChoose={(outcome) => choose({ outcome: outcome as OutcomeFilter })}
      />
      <Filter
        label={words.status}
        options={STATUSES.map((value) => ({ value, label: value }))}
        chosen={search.status}
        onChoose={(status) => choose({ status: oneOf(status, STATUSES) })}
      />
      <Filter
        label={period.name}
        options={PERIOD_OPTIONS}
        chosen={search.period}
        onChoose={(chosen) =>
          choose({ period: chosen as Period | undefined, from: undefined, to: undefined })
        }
      />
      {SPLITS.map((group) => (
        <UsedFilter
          key={group}
          group={group}
          chosen={search[group]}
          range={range}
          onChoose={(value) => choose({ [group]: value })}
        />
      ))}
      {(from !== undefined || to !== undefined) && (
        <span className="chip set">
          {words.period(
            from === undefined ? UNKNOWN : formatMoment(from),
            to === undefined ? UNKNOWN : formatMoment(to),
          )}
          <button
            type="button"
            aria-label={`${everywhere.remove} ${words.periodName}`}
            onClick={() => choose({ from: undefined, to: undefined })}
          >
            <X size={14} aria-hidden />
          </button>
        </span>
      )}
    </div>
  )
}
