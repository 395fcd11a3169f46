import { useMemo, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { formatCount } from '../../format/number.ts'
import { type Zone } from '../../format/clock.ts'
import { formatHour, zoneName } from '../../format/time.ts'
import { BarChart } from '../../parts/bar-chart.tsx'
import { bucketsBetween, unfinishedBar, type ChartSeries } from '../../parts/chart-shape.ts'
import { Legend } from '../../parts/legend.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Segments } from '../../parts/tabs.tsx'
import { useNow } from '../../parts/now.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { overview as words } from '../../words/overview.ts'
import styles from './overview.module.css'

const HOUR_MS = 3_600_000
const HOURS = 24
const REFRESH_MS = 10_000
/** Failed requests that are placed in their hours; the rest are only "or more". */
const FAILED_MAX = 100
const HEIGHT = 248

/** The beginning of the 24 hours that end with this one. */
export function firstHour(now: number): number {
  return Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS
}

/** Requests per hour, failures on top, the current hour hatched. */
export function HoursChart() {
  const { path } = useOrganization()
  const from = firstHour(useNow())
  const [zone, setZone] = useState<Zone>('local')
  const period = { from: new Date(from).toISOString() }
  const usage = useApi(
    'GET /organizations/{organization}/usage',
    { path, query: { ...period, by: ['hour'] } },
    { every: REFRESH_MS },
  )
  const failed = useApi(
    'GET /organizations/{organization}/requests',
    { path, query: { ...period, outcome: 'failed', limit: FAILED_MAX } },
    { every: REFRESH_MS },
  ).data
  const starts = useMemo(() => bucketsBetween(from, from + HOURS * HOUR_MS, 'hour'), [from])
  const series = useMemo(
    () => seriesOf(starts, usage.data?.data ?? [], failed?.data ?? []),
    [starts, usage.data, failed],
  )
  const requests = (usage.data?.data ?? []).reduce((sum, row) => sum + row.requests, 0)
  const failures = failed?.data.length ?? 0
  const failedText =
    failed?.next == null ? formatCount(failures) : words.moreFailed(formatCount(failures))
  return (
    <Card
      title={words.lastDay}
      meta={
        <Legend
          entries={[
            entry('done', words.completed, 1, formatCount(Math.max(0, requests - failures))),
            entry('failed', words.failed, 'fail', failedText),
            { name: 'now', label: words.thisHour, colour: 'hatched' },
          ]}
        />
      }
      end={
        zoneName() !== 'UTC' && (
          <Segments
            label={words.zone}
            options={[
              { value: 'local', label: zoneName() },
              { value: 'UTC', label: 'UTC' },
            ]}
            chosen={zone}
            onChoose={setZone}
          />
        )
      }
    >
      <Loaded reading={usage} what={words.lastDay}>
        {() => (
          <div className={styles.chart24}>
            <BarChart
              label={words.chart(formatCount(requests), failedText)}
              starts={starts}
              unit="hour"
              zone={zone}
              series={series}
              unfinished={unfinishedBar(starts, 'hour', Date.now())}
              height={HEIGHT}
            />
            <HoursAsText starts={starts} series={series} zone={zone} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function entry(name: string, label: string, colour: 1 | 'fail', count: string) {
  return { name, label, colour, count } as const
}

type Row = { readonly hour?: string; readonly requests: number }

function seriesOf(
  starts: readonly number[],
  rows: readonly Row[],
  failed: readonly { readonly made_at: string }[],
): ChartSeries[] {
  const requests = new Map(rows.map(({ hour = '', requests: count }) => [Date.parse(hour), count]))
  const failures = new Map<number, number>()
  for (const { made_at } of failed) {
    const hour = Math.floor(Date.parse(made_at) / HOUR_MS) * HOUR_MS
    failures.set(hour, (failures.get(hour) ?? 0) + 1)
  }
  // A request counts in usage once it is posted; it cannot have failed before.
  const failedAt = starts.map((hour) => Math.min(failures.get(hour) ?? 0, requests.get(hour) ?? 0))
  return [
    {
      name: 'done',
      label: words.completed,
      colour: 1,
      values: starts.map((hour, at) => (requests.get(hour) ?? 0) - (failedAt[at] ?? 0)),
    },
    { name: 'failed', label: words.failedRequests, colour: 'fail', values: failedAt },
  ]
}

/** The same figures for those who do not see the chart. */
function HoursAsText({
  starts,
  series,
  zone,
}: {
  readonly starts: readonly number[]
  readonly series: readonly ChartSeries[]
  readonly zone: Zone
}) {
  return (
    <div className="sr">
      <table>
        <caption>{words.figures}</caption>
        <thead>
          <tr>
            <th scope="col">{words.hour}</th>
            {series.map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {starts.map((start, at) => (
            <tr key={start}>
              <th scope="row">{formatHour(start, zone)}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{formatCount(values[at])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
