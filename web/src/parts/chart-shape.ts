import { type Zone } from '../format/clock.ts'
import { formatHour, formatUtcDay } from '../format/time.ts'

// The arithmetic of charts, apart from drawing so that it can be tested by itself.

export type ChartUnit = 'hour' | 'day'
export type ChartColour = 1 | 2 | 3 | 4 | 5 | 6 | 'other' | 'fail'

export type ChartSeries = {
  readonly name: string
  readonly label: string
  readonly colour: ChartColour
  /** One value for each bar. */
  readonly values: readonly number[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const COLOURS = [1, 2, 3, 4, 5, 6] as const

/** Ten years of days: nobody looks at more bars, and a mistyped year must not hang a page. */
const MAX_BUCKETS = 3660

/** The beginnings of the UTC hours or days from `from` to before `to`. */
export function bucketsBetween(from: number, to: number, unit: ChartUnit): number[] {
  const size = unit === 'hour' ? HOUR_MS : DAY_MS
  const first = Math.floor(from / size) * size
  const count = Math.min(MAX_BUCKETS, Math.max(0, Math.ceil((to - first) / size)))
  return Array.from({ length: count }, (_, index) => first + index * size)
}

export function bucketEnd(start: number, unit: ChartUnit): number {
  return start + (unit === 'hour' ? HOUR_MS : DAY_MS)
}

/**
 * Colours by name. A name keeps its colour for as long as `known` lives, whatever is filtered; from
 * the seventh on there is no colour left.
 */
export function colourOf(known: Map<string, ChartColour>, name: string): ChartColour {
  const had = known.get(name)
  if (had !== undefined) return had
  const colour = COLOURS[known.size] ?? 'other'
  known.set(name, colour)
  return colour
}

/** In the order in which they are stacked: those with a colour, all others as one, failures. */
export function foldSeries(series: readonly ChartSeries[], othersLabel: string): ChartSeries[] {
  const others = series.filter((one) => one.colour === 'other')
  const folded: ChartSeries[] =
    others.length < 2
      ? others
      : [{ name: 'others', label: othersLabel, colour: 'other', values: sumsOf(others) }]
  return [
    ...series.filter((one) => one.colour !== 'other' && one.colour !== 'fail'),
    ...folded,
    ...series.filter((one) => one.colour === 'fail'),
  ]
}

/** The height of every bar. */
export function sumsOf(series: readonly ChartSeries[]): number[] {
  const bars = Math.max(0, ...series.map((one) => one.values.length))
  return Array.from({ length: bars }, (_, bar) =>
    series.reduce((sum, one) => sum + (one.values[bar] ?? 0), 0),
  )
}

/** Where each part of one bar begins and ends, from zero upwards; empty parts are left out. */
export function partsOf(
  series: readonly ChartSeries[],
  bar: number,
): { readonly colour: ChartColour; readonly from: number; readonly to: number }[] {
  let sum = 0
  return series.flatMap(({ colour, values }) => {
    const value = values[bar] ?? 0
    if (value <= 0) return []
    sum += value
    return [{ colour, from: sum - value, to: sum }]
  })
}

const TICKS = 5
const STEPS = [1, 2, 2.5, 5, 10]

/** From zero to above `max` in at most five round steps. All figures are whole numbers. */
export function ticksUpTo(max: number): number[] {
  const least = Math.max(1, max / TICKS)
  const power = 10 ** Math.floor(Math.log10(least))
  const step =
    STEPS.map((factor) => factor * power).find((one) => one >= least && Number.isInteger(one)) ??
    power * 10
  const count = Math.max(1, Math.ceil(max / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

export type TimeTick = { readonly bar: number; readonly label: string }

const DAY_STEPS = [1, 2, 3, 7, 14, 30, 60, 120, 365]
const HOUR_STEPS = [1, 2, 3, 4, 6, 12, 24]

/**
 * Which bars have a label, so that at most `most` fit. Days are counted back from the last; hours
 * stand at round hours of the zone, which are not evenly spaced on the days when clocks change.
 */
export function timeTicks(
  starts: readonly number[],
  unit: ChartUnit,
  zone: Zone,
  most: number,
): TimeTick[] {
  const least = Math.max(1, Math.ceil(starts.length / Math.max(1, most)))
  if (unit === 'day') {
    const step = DAY_STEPS.find((one) => one >= least) ?? least
    return starts.flatMap((start, bar) =>
      (starts.length - 1 - bar) % step === 0 ? [{ bar, label: formatUtcDay(start) }] : [],
    )
  }
  const step = HOUR_STEPS.find((one) => one >= least)
  const days = step === undefined ? Math.ceil(least / 24) : 1
  let next = 0
  return starts.flatMap((start, bar) => {
    if (bar < next || hourOf(start, zone) % (step ?? 24) !== 0) return []
    next = bar + Math.max(1, days * (step ?? 24) - 1)
    const midnight = starts.length > 24 && hourOf(start, zone) === 0
    return [{ bar, label: midnight ? formatUtcDay(start, zone) : formatHour(start, zone) }]
  })
}

function hourOf(at: number, zone: Zone): number {
  const date = new Date(at)
  return zone === 'UTC' ? date.getUTCHours() : date.getHours()
}

/** The bars that begin at 00:00 UTC, where limits and bills turn. */
export function utcMidnights(starts: readonly number[]): number[] {
  return starts.flatMap((start, bar) => (start % DAY_MS === 0 ? [bar] : []))
}

/** The bar that is not over at `now`, if any. */
export function unfinishedBar(
  starts: readonly number[],
  unit: ChartUnit,
  now: number,
): number | undefined {
  const bar = starts.findIndex((start) => start <= now && now < bucketEnd(start, unit))
  return bar === -1 ? undefined : bar
}
