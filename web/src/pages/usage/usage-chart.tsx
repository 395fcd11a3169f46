import { useCallback, useMemo } from 'react'
import { formatCount } from '../../format/number.ts'
import { formatDate, zoneName } from '../../format/time.ts'
import { BarChart } from '../../parts/bar-chart.tsx'
import { unfinishedBar, type ChartColour, type ChartUnit } from '../../parts/chart-shape.ts'
import { Legend, type LegendEntry } from '../../parts/legend.tsx'
import { Segments } from '../../parts/tabs.tsx'
import { chart as chartWords } from '../../words/chart.ts'
import type { SearchChange } from '../../shell/search.ts'
import { usage as words } from '../../words/usage.ts'
import { formatMeasure, formatMeasureTick } from './measure-format.ts'
import type { Range } from './period.ts'
import type { Measure, Split, UsageSearch } from './search.ts'
import { figuresOf, seriesOf, type Sum } from './usage-rows.ts'
import styles from './usage.module.css'

export type Shown = {
  readonly unit: ChartUnit
  readonly split: Split | undefined
  readonly measure: Measure
  readonly range: Range
  readonly now: number
  readonly currency: string
}

/** Colours by kind of name, for as long as the page is open: a filter must not change them. */
const colours = new Map<string, Map<string, ChartColour>>()

function coloursOf(split: Split | undefined): Map<string, ChartColour> {
  const known = colours.get(split ?? '') ?? new Map<string, ChartColour>()
  colours.set(split ?? '', known)
  return known
}

/** The series of the chart, and of the columns beside it. */
export function useSeries(data: readonly Sum[], { unit, split, measure, range }: Shown) {
  return useMemo(
    () =>
      seriesOf(data, {
        unit,
        split,
        measure,
        range,
        names: words,
        known: coloursOf(split),
        all: measure === 'requests' ? words.completed : words.measures[measure],
        failed: words.failed,
        others: chartWords.others,
      }),
    [data, unit, split, measure, range],
  )
}

export function UsageChart({
  data,
  total,
  shown,
  zone,
  choose,
  onHover,
}: {
  readonly data: readonly Sum[]
  readonly total: Sum
  readonly shown: Shown
  readonly zone: UsageSearch['zone']
  readonly choose: (change: SearchChange<UsageSearch>) => void
  readonly onHover: (bar: number | null) => void
}) {
  const { unit, measure, range, now, currency } = shown
  const { series, starts } = useSeries(data, shown)
  const unfinished = unfinishedBar(starts, unit, now)
  const formatTick = useCallback(
    (value: number, step: number) => formatMeasureTick(measure, value, step),
    [measure],
  )
  const money = measure === 'cost' ? currency : undefined
  const title = words.chartTitle(words.measures[measure], unit, money)
  const sum = [formatMeasure(measure, figuresOf(total)[measure]), money ?? ''].join(' ').trim()
  const [from, to] = [formatDate(range.from, 'UTC'), formatDate(range.to - 1, 'UTC')]
  return (
    <>
      <div className={`row ${styles.chartTop}`}>
        <h2 className="h2">{title}</h2>
        <div className="push row">
          <Legend entries={entriesOf(series, shown, unfinished !== undefined)} />
          {unit === 'hour' && (
            <Segments
              label={words.zone}
              options={[
                { value: 'local', label: zoneName(now) },
                { value: 'utc', label: words.utc },
              ]}
              chosen={zone ?? 'local'}
              onChoose={(chosen) => choose({ zone: chosen === 'utc' ? 'utc' : undefined })}
            />
          )}
        </div>
      </div>
      <BarChart
        label={words.chartLabel(title, from, to, sum)}
        starts={starts}
        unit={unit}
        zone={zone === 'utc' ? 'UTC' : 'local'}
        series={series}
        unfinished={unfinished}
        format={(value) => formatMeasure(measure, value)}
        formatTick={formatTick}
        onHover={onHover}
      />
    </>
  )
}

function entriesOf(
  series: ReturnType<typeof seriesOf>['series'],
  { measure, unit }: Shown,
  hatched: boolean,
): LegendEntry[] {
  const entries: LegendEntry[] = series.map(({ name, label, colour, values }) => {
    const sum = values.reduce((total, value) => total + value, 0)
    return {
      name,
      label,
      colour,
      count: measure === 'cost' ? formatMeasure(measure, sum) : formatCount(sum),
    }
  })
  if (!hatched) return entries
  const label = unit === 'day' ? chartWords.todaySoFar : chartWords.hourSoFar
  return [...entries, { name: 'hatched', label, colour: 'hatched' }]
}
