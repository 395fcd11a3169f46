import type { Usage } from '../../api/routes.ts'
import { bucketsBetween, colourOf, foldSeries } from '../../parts/chart-shape.ts'
import type { ChartColour, ChartSeries, ChartUnit } from '../../parts/chart-shape.ts'
import type { Range } from './period.ts'
import type { Group, Measure, SortedBy, Split } from './search.ts'

// From the sums of the API to the rows of the table and the series of the chart.

export type Sum = Usage['data'][number]

export type Figures = Record<Measure, number> & { readonly failed: number | null }

export type Row = {
  /** What the row is about: a start in milliseconds for hours and days, else an id or a model. */
  readonly id: string
  readonly label: string
  readonly start: number | null
  readonly figures: Figures
}

export type Names = { readonly noMember: string; readonly playgroundOf: (name: string) => string }

const NOTHING: Figures = {
  requests: 0,
  failed: 0,
  input: 0,
  cached: 0,
  output: 0,
  reasoning: 0,
  cost: 0,
}

export function figuresOf(sum: Sum | undefined): Figures {
  if (sum === undefined) return NOTHING
  return {
    requests: sum.requests,
    failed: sum.failed,
    input: sum.prompt_tokens,
    cached: sum.cached_tokens,
    output: sum.completion_tokens,
    reasoning: sum.reasoning_tokens,
    cost: sum.cost.amount_micro,
  }
}

function add(one: Figures, other: Figures): Figures {
  const failed = one.failed === null || other.failed === null ? null : one.failed + other.failed
  return {
    requests: one.requests + other.requests,
    failed,
    input: one.input + other.input,
    cached: one.cached + other.cached,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
    cost: one.cost + other.cost,
  }
}

export function groupOf(sum: Sum, by: Group | Split, names: Names): { id: string; label: string } {
  switch (by) {
    case 'day':
    case 'hour': {
      const text = sum[by] ?? ''
      return { id: text, label: text }
    }
    case 'model':
      return { id: sum.model ?? '', label: sum.model ?? '' }
    case 'project':
      return { id: sum.project?.id ?? '', label: sum.project?.name ?? sum.project?.id ?? '' }
    case 'member': {
      const { member } = sum
      if (member === null || member === undefined) return { id: '', label: names.noMember }
      return { id: member.id, label: member.name ?? member.id }
    }
    case 'key': {
      const name = sum.key?.name ?? sum.key?.id ?? ''
      const label = sum.key?.kind === 'playground' ? names.playgroundOf(name) : name
      return { id: sum.key?.id ?? '', label }
    }
  }
}

/** One row for each group; hours and days without usage have one too, up to now. */
export function rowsOf(
  data: readonly Sum[],
  by: Group,
  { range, now, names }: { readonly range: Range; readonly now: number; readonly names: Names },
): Row[] {
  const found = new Map<string, Row>()
  for (const sum of data) {
    const { id, label } = groupOf(sum, by, names)
    const known = found.get(id)?.figures
    const figures = known === undefined ? figuresOf(sum) : add(known, figuresOf(sum))
    found.set(id, { id, label, start: null, figures })
  }
  if (by !== 'day' && by !== 'hour') return [...found.values()]
  // The clock of this computer may be behind: what the service summed is shown all the same.
  const last = Math.max(now, ...[...found.keys()].map((text) => Date.parse(text)))
  return bucketsBetween(range.from, Math.min(range.to, last + 1), by).map((start) => {
    const id = startText(start, by)
    return { id, label: id, start, figures: found.get(id)?.figures ?? NOTHING }
  })
}

/** As the API names days and hours. */
function startText(start: number, unit: ChartUnit): string {
  const text = new Date(start).toISOString()
  return unit === 'day' ? text.slice(0, 10) : `${text.slice(0, 13)}:00Z`
}

export function sortRows(rows: readonly Row[], by: SortedBy, up: boolean): Row[] {
  const sign = up ? 1 : -1
  return rows.toSorted((one, other) => {
    const difference =
      by === 'name' ? compareNames(one, other) : (one.figures[by] ?? 0) - (other.figures[by] ?? 0)
    return sign * difference || compareNames(one, other)
  })
}

function compareNames(one: Row, other: Row): number {
  return one.start !== null && other.start !== null
    ? one.start - other.start
    : one.label.localeCompare(other.label)
}

export type ChartData = {
  readonly series: readonly ChartSeries[]
  readonly starts: readonly number[]
}

/** The series of a chart over `unit`, largest first. `known` remembers the colours of names. */
export function seriesOf(
  data: readonly Sum[],
  asked: {
    readonly unit: ChartUnit
    readonly split: Split | undefined
    readonly measure: Measure
    readonly range: Range
    readonly names: Names
    readonly known: Map<string, ChartColour>
    readonly all: string
    readonly failed: string
    readonly others: (count: number) => string
  },
): ChartData {
  const { unit, split, measure, range, names, known } = asked
  const starts = bucketsBetween(range.from, range.to, unit)
  const barOf = new Map(starts.map((start, bar) => [startText(start, unit), bar]))
  const found = new Map<string, { label: string; values: number[]; sum: number }>()
  for (const sum of data) {
    const group = split === undefined ? { id: 'all', label: asked.all } : groupOf(sum, split, names)
    const one = found.get(group.id) ?? {
      label: group.label,
      values: starts.map(() => 0),
      sum: 0,
    }
    const bar = barOf.get(sum[unit] ?? '')
    const value = figuresOf(sum)[measure]
    if (bar !== undefined) one.values[bar] = (one.values[bar] ?? 0) + value
    one.sum += value
    found.set(group.id, one)
  }
  const series = [...found]
    .toSorted(([, one], [, other]) => other.sum - one.sum)
    .map(([name, { label, values }]) => {
      const colour: ChartColour = split === undefined ? 1 : colourOf(known, name)
      return { name, label, colour, values }
    })
  if (split === undefined && measure === 'requests')
    return { series: withFailures(data, series, barOf, asked), starts }
  const others = series.filter(({ colour }) => colour === 'other').length
  return { series: foldSeries(series, asked.others(others)), starts }
}

/** Requests in one colour, of which failures are a part of their own, if they are known. */
function withFailures(
  data: readonly Sum[],
  series: readonly ChartSeries[],
  barOf: ReadonlyMap<string, number>,
  { unit, failed: label }: { readonly unit: ChartUnit; readonly failed: string },
): ChartSeries[] {
  const [all] = series
  if (all === undefined || data.some(({ failed }) => failed === null)) return [...series]
  const failed = all.values.map(() => 0)
  for (const sum of data) {
    const bar = barOf.get(sum[unit] ?? '')
    if (bar !== undefined) failed[bar] = (failed[bar] ?? 0) + (sum.failed ?? 0)
  }
  const others = all.values.map((value, bar) => value - (failed[bar] ?? 0))
  return [
    { ...all, values: others },
    { name: 'failed', label, colour: 'fail', values: failed },
  ]
}
