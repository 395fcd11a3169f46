import { getRouteApi } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useMemo, useState } from 'react'
import { addressOf } from '../../api/call.ts'
import type { Usage } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatClock } from '../../format/clock.ts'
import { formatDate } from '../../format/time.ts'
import { Page } from '../../parts/page.tsx'
import type { ChartUnit } from '../../parts/chart-shape.ts'
import { Empty, Loaded, Skeleton } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { present, type SearchChange } from '../../shell/search.ts'
import { usage as words } from '../../words/usage.ts'
import { daysIn, dayText, rangeOf, type Range } from './period.ts'
import type { Group, Split, UsageSearch } from './search.ts'
import { UsageChart } from './usage-chart.tsx'
import { UsageFilters } from './usage-filters.tsx'
import { rowsOf } from './usage-rows.ts'
import { UsageStats } from './usage-stats.tsx'
import { UsageTable } from './usage-table.tsx'

const route = getRouteApi('/app/o/$slug/usage')
const REFRESH_MS = 30_000
/** Up to so many days a chart of something else than days shows hours. */
const HOURLY_DAYS = 2

export function UsagePage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { path } = useOrganization()
  const [now] = useState(Date.now)
  const range = useMemo(() => rangeOf(search, now), [search, now])
  const { project, key, member, model } = search
  const filters = {
    ...(project !== undefined && { project }),
    ...(key !== undefined && { key }),
    ...(member !== undefined && { member }),
    ...(model !== undefined && { model }),
  }
  const query = { from: dayText(range.from), to: dayText(range.to), ...filters }
  const total = useApi(
    'GET /organizations/{organization}/usage',
    { path, query },
    { every: REFRESH_MS },
  )
  const choose = (change: SearchChange<UsageSearch>) =>
    void navigate({ search: (before) => present({ ...before, ...change }), replace: true })
  const exportOf = (format: 'csv' | 'cloudevents') =>
    addressOf('GET /organizations/{organization}/usage/export', {
      path,
      query: { ...query, format },
    })
  return (
    <Page
      title={words.title}
      sub={<Sub range={range} postedUpTo={total.data?.posted_up_to} />}
      actions={
        <>
          <a className="btn" href={exportOf('csv')} title={words.exportHint} download>
            <Download size={16} aria-hidden /> {words.csv}
          </a>
          <a className="btn" href={exportOf('cloudevents')} title={words.exportHint} download>
            <Download size={16} aria-hidden /> {words.cloudEvents}
          </a>
        </>
      }
    >
      <UsageFilters search={search} range={range} choose={choose} />
      <Loaded reading={total} what={words.what} skeleton={<Skeleton lines={6} />}>
        {(sums) => (
          <Figures
            sums={sums}
            query={query}
            search={search}
            range={range}
            now={now}
            choose={choose}
          />
        )}
      </Loaded>
    </Page>
  )
}

function Sub({
  range,
  postedUpTo,
}: {
  readonly range: Range
  readonly postedUpTo: string | null | undefined
}) {
  const [from, to] = [formatDate(range.from, 'UTC'), formatDate(range.to - 1, 'UTC')]
  return (
    <>
      {words.sub(from, to)} {postedUpTo === null && words.postedUnknown}
      {postedUpTo === undefined && <span className="reserved">{words.postedUpTo('00:00:00')}</span>}
      {typeof postedUpTo === 'string' && words.postedUpTo(formatClock(Date.parse(postedUpTo)))}
    </>
  )
}

type Choose = (change: SearchChange<UsageSearch>) => void

/** By which the colours of the chart are; a table by something else than time has the same. */
function splitOf({ by = 'day', split = 'model' }: UsageSearch): Split | undefined {
  if (by !== 'day' && by !== 'hour') return by
  return split === 'none' ? undefined : split
}

function Figures({
  sums,
  query,
  search,
  range,
  now,
  choose,
}: {
  readonly sums: Usage
  readonly query: Readonly<Record<string, string>>
  readonly search: UsageSearch
  readonly range: Range
  readonly now: number
  readonly choose: Choose
}) {
  const { path } = useOrganization()
  const { by = 'day', measure = 'cost' } = search
  const split = splitOf(search)
  const hourly = by === 'hour' || (by !== 'day' && daysIn(range) <= HOURLY_DAYS)
  const unit: ChartUnit = hourly ? 'hour' : 'day'
  const groups: readonly Group[] = split === undefined ? [unit] : [unit, split]
  const options = { every: REFRESH_MS }
  const overTime = useApi(
    'GET /organizations/{organization}/usage',
    { path, query: { ...query, by: groups } },
    options,
  )
  const grouped = useApi(
    'GET /organizations/{organization}/usage',
    { path, query: { ...query, by: [by] } },
    options,
  )
  const [bar, setBar] = useState<number | null>(null)
  const [total] = sums.data
  if (total === undefined) return <NothingUsed range={range} />
  const { currency } = total.cost
  const shown = { unit, split, measure, range, now, currency } as const
  return (
    <>
      <section className="card" aria-label={words.title}>
        <UsageStats
          total={total}
          days={Math.max(1, daysIn({ from: range.from, to: Math.min(range.to, now) }))}
        />
        <Loaded reading={overTime} what={words.what} skeleton={<Skeleton lines={8} />}>
          {({ data }) => (
            <UsageChart {...{ data, total, shown, choose }} zone={search.zone} onHover={setBar} />
          )}
        </Loaded>
      </section>
      <Loaded reading={grouped} what={words.what} skeleton={<Skeleton lines={12} />}>
        {({ data }) => (
          <UsageTable
            rows={rowsOf(data, by, { range, now, names: words })}
            bands={by === unit && split !== undefined ? (overTime.data?.data ?? []) : []}
            total={total}
            search={search}
            shown={shown}
            lit={by === unit ? bar : null}
            choose={choose}
          />
        )}
      </Loaded>
    </>
  )
}

function NothingUsed({ range }: { readonly range: Range }) {
  const title = words.empty(formatDate(range.from, 'UTC'), formatDate(range.to - 1, 'UTC'))
  return (
    <section className="card">
      <Empty title={title}>{words.emptyText}</Empty>
    </section>
  )
}
