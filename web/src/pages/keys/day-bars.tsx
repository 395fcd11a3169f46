import { useMemo } from 'react'
import type { Usage } from '../../api/routes.ts'
import { BarChart } from '../../parts/bar-chart.tsx'
import { bucketsBetween, unfinishedBar } from '../../parts/chart-shape.ts'
import { keyPage as words } from '../../words/key-page.ts'
import styles from './keys.module.css'

const HEIGHT = 160

/** Requests per UTC day. */
export function DayBars({ usage }: { readonly usage: Usage }) {
  const starts = useMemo(
    () => bucketsBetween(Date.parse(usage.from), Date.parse(usage.to), 'day'),
    [usage.from, usage.to],
  )
  const series = useMemo(() => {
    const counts = new Map(usage.data.map(({ day = '', requests }) => [Date.parse(day), requests]))
    const values = starts.map((start) => counts.get(start) ?? 0)
    return [{ name: 'requests', label: words.requests, colour: 1, values } as const]
  }, [usage.data, starts])
  return (
    <div className={styles.chartDays}>
      <BarChart
        label={words.usageCaption}
        starts={starts}
        unit="day"
        series={series}
        unfinished={unfinishedBar(starts, 'day', Date.now())}
        height={HEIGHT}
      />
    </div>
  )
}
