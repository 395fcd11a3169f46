import { useMemo } from 'react'
import type { Usage } from '../api/routes.ts'
import { BarChart } from './bar-chart.tsx'
import { bucketsBetween, unfinishedBar } from './chart-shape.ts'
import styles from './request-days.module.css'

const HEIGHT = 160

/** Requests per UTC day of a usage that is grouped by day, and perhaps by something else. */
export function RequestDays({
  usage,
  label,
  requests,
}: {
  readonly usage: Usage
  readonly label: string
  readonly requests: string
}) {
  const starts = useMemo(
    () => bucketsBetween(Date.parse(usage.from), Date.parse(usage.to), 'day'),
    [usage.from, usage.to],
  )
  const series = useMemo(() => {
    const counts = new Map<number, number>()
    for (const row of usage.data) {
      const at = Date.parse(row.day ?? '')
      counts.set(at, (counts.get(at) ?? 0) + row.requests)
    }
    const values = starts.map((start) => counts.get(start) ?? 0)
    return [{ name: 'requests', label: requests, colour: 1, values } as const]
  }, [usage.data, starts, requests])
  return (
    <div className={styles.days}>
      <BarChart
        label={label}
        starts={starts}
        unit="day"
        series={series}
        unfinished={unfinishedBar(starts, 'day', Date.now())}
        height={HEIGHT}
      />
    </div>
  )
}
