import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react'
import uPlot from 'uplot'
import { formatCompact, formatCount } from '../format/number.ts'
import { type Zone } from '../format/clock.ts'
import { formatHour, formatUtcDay, formatUtcWeekday, zoneName } from '../format/time.ts'
import { onThemeChange } from '../shell/theme.ts'
import { chart as words } from '../words/chart.ts'
import { drawBars, placeOf, readColours, type Colours, type Shape } from './chart-canvas.ts'
import {
  bucketEnd,
  sumsOf,
  ticksUpTo,
  timeTicks,
  type ChartSeries,
  type ChartUnit,
} from './chart-shape.ts'
import { SWATCHES } from './legend.tsx'

export type BarChartProps = {
  /** A sentence for those who do not see the chart; the same figures must stand as text near it. */
  readonly label: string
  /** When each bar begins: UTC hours or UTC days (`bucketsBetween`). */
  readonly starts: readonly number[]
  readonly unit: ChartUnit
  /** Hours are shown in this zone; days are always UTC. */
  readonly zone?: Zone
  /** In the order of the legend (`foldSeries`). */
  readonly series: readonly ChartSeries[]
  /** The bar that is not over: hatched (`unfinishedBar`). */
  readonly unfinished?: number | undefined
  /** The exact value, for the tooltip. */
  readonly format?: (value: number) => string
  readonly formatTick?: (value: number, step: number) => string
  readonly height?: number
  readonly onHover?: (bar: number | null) => void
}

const LABEL_ROOM = { day: 64, hour: 52 }
const AXIS_LETTER = 6.6

/** Stacked bars over time. Arrow keys move the tooltip from bar to bar; Escape closes it. */
export function BarChart(props: BarChartProps) {
  const { label, starts, series, height = 248, onHover } = props
  const host = useRef<HTMLDivElement>(null)
  const [hovered, setHovered] = useState<number | null>(null)
  const plot = usePlot(host, props, height, hovered)
  const hover = (bar: number | null) => {
    setHovered(bar)
    if (bar !== hovered) onHover?.(bar)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = targetOf(event.key, hovered, starts.length)
    if (next === undefined) return
    event.preventDefault()
    hover(next)
  }
  return (
    <div className="chart bars" data-shows="bars" onPointerLeave={() => hover(null)}>
      <div
        ref={host}
        role="img"
        aria-label={label}
        tabIndex={0}
        style={{ height }}
        onKeyDown={onKeyDown}
        onBlur={() => hover(null)}
        onPointerMove={(event) => hover(barAt(plot.current, event.clientX, starts.length))}
      />
      {hovered !== null && hovered < starts.length && series.length > 0 && (
        <Tooltip {...props} bar={hovered} plot={plot.current} />
      )}
    </div>
  )
}

function targetOf(key: string, at: number | null, count: number): number | null | undefined {
  if (count === 0) return undefined
  const last = count - 1
  const targets: Record<string, number | null> = {
    ArrowRight: at === null ? 0 : Math.min(last, at + 1),
    ArrowLeft: at === null ? last : Math.max(0, at - 1),
    Home: 0,
    End: last,
    Escape: null,
  }
  return targets[key]
}

function barAt(plot: uPlot | undefined, clientX: number, count: number): number | null {
  if (plot === undefined || count === 0) return null
  const { left, width } = plot.over.getBoundingClientRect()
  const bar = Math.floor(((clientX - left) / width) * count)
  return bar < 0 || bar >= count ? null : bar
}

type Drawn = {
  readonly shape: Shape
  readonly colours: Colours
  readonly hovered: number | null
  readonly labels: Labels
}

type Labels = Required<Pick<BarChartProps, 'starts' | 'unit' | 'zone' | 'formatTick'>>

function usePlot(
  host: RefObject<HTMLDivElement | null>,
  props: BarChartProps,
  height: number,
  hovered: number | null,
): RefObject<uPlot | undefined> {
  const plot = useRef<uPlot>(undefined)
  const drawn = useRef<Drawn>(undefined)
  const { starts, series, unit, unfinished, zone = 'local', formatTick = compactTick } = props
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const shape: Shape = {
      starts,
      series,
      hourly: unit === 'hour',
      unfinished,
      ticks: ticksUpTo(Math.max(0, ...sumsOf(series))),
    }
    const labels = { starts, unit, zone, formatTick }
    const colours = drawn.current?.colours ?? readColours(element)
    drawn.current = { shape, colours, hovered: drawn.current?.hovered ?? null, labels }
    plot.current ??= new uPlot(optionsOf(drawn, element.clientWidth, height), undefined, element)
    plot.current.setData([[...starts.keys()], sumsOf(series)])
  }, [host, starts, series, unit, unfinished, zone, formatTick, height])
  useEffect(() => {
    if (drawn.current !== undefined) drawn.current = { ...drawn.current, hovered }
    plot.current?.redraw(false, false)
  }, [hovered])
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const sizes = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height }),
    )
    sizes.observe(element)
    const stopListening = onThemeChange(() => {
      if (drawn.current !== undefined)
        drawn.current = { ...drawn.current, colours: readColours(element) }
      plot.current?.redraw()
    })
    return () => {
      sizes.disconnect()
      stopListening()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [host, height])
  return plot
}

function optionsOf(
  drawn: RefObject<Drawn | undefined>,
  width: number,
  height: number,
): uPlot.Options {
  const ticks = () => [...(drawn.current?.shape.ticks ?? [0])]
  const bars = () => drawn.current?.shape.starts.length ?? 0
  const tickLabels = () => labelsOf(drawn.current, ticks())
  const timeLabels = (plot: uPlot) => timeLabelsOf(drawn.current, plot.bbox.width / uPlot.pxRatio)
  const font = `11px ${drawn.current?.colours.fonts ?? 'sans-serif'}`
  const axis = { stroke: () => drawn.current?.colours.axis ?? '', font, ticks: { show: false } }
  return {
    width,
    height,
    padding: [18, 12, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { time: false, range: () => [-0.5, Math.max(0.5, bars() - 0.5)] },
      y: { range: () => [0, ticks().at(-1) ?? 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        splits: (plot) => timeLabels(plot).map(({ bar }) => bar),
        values: (plot) => timeLabels(plot).map(({ label }) => label),
      },
      {
        ...axis,
        grid: { stroke: () => drawn.current?.colours.grid ?? '', width: 1 },
        size: () => Math.max(...tickLabels().map((label) => label.length)) * AXIS_LETTER + 20,
        splits: ticks,
        values: tickLabels,
      },
    ],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: {
      draw: [
        (plot) => {
          if (drawn.current === undefined) return
          drawBars(plot, drawn.current.shape, drawn.current.colours, drawn.current.hovered)
        },
      ],
    },
  }
}

function compactTick(value: number): string {
  return formatCompact(value)
}

function labelsOf(drawn: Drawn | undefined, ticks: readonly number[]): string[] {
  const show = drawn?.labels.formatTick ?? compactTick
  return ticks.map((tick) => show(tick, ticks[1] ?? 1))
}

function timeLabelsOf(drawn: Drawn | undefined, width: number) {
  if (drawn === undefined) return []
  const { starts, unit, zone } = drawn.labels
  return timeTicks(starts, unit, zone, Math.floor(width / LABEL_ROOM[unit]))
}

function Tooltip({
  bar,
  plot,
  starts,
  unit,
  zone = 'local',
  series,
  unfinished,
  format = formatCount,
}: BarChartProps & { readonly bar: number; readonly plot: uPlot | undefined }) {
  const element = useRef<HTMLDivElement>(null)
  const [left, setLeft] = useState(0)
  // Beside the bar, and on its other side where there is no room.
  useLayoutEffect(() => {
    if (plot === undefined || element.current === null) return
    const ratio = uPlot.pxRatio
    const place = placeOf(plot, bar, starts.length)
    const own = element.current.offsetWidth
    const after = (place.left + place.width) / ratio + 10
    const before = place.left / ratio - 10 - own
    const fits = after + own <= plot.width
    setLeft(fits ? after : Math.max(0, before))
  }, [bar, plot, starts.length])
  const start = starts[bar] ?? 0
  const sum = series.reduce((total, one) => total + (one.values[bar] ?? 0), 0)
  return (
    <div className="tip" ref={element} style={{ left, top: 20 }} role="status">
      <b className="medium">{periodOf(start, unit, zone)}</b>{' '}
      <span className="ink-3">
        {unit === 'day' ? words.utcDay : zone === 'UTC' ? 'UTC' : zoneName(start)}
        {bar === unfinished && ` · ${words.soFar}`}
      </span>
      <dl>
        {series.map((one) => (
          <div key={one.name} className="contents">
            <dt>
              <i className={SWATCHES[one.colour]} aria-hidden />
              {one.label}
            </dt>
            <dd>{format(one.values[bar] ?? 0)}</dd>
          </div>
        ))}
        {series.length > 1 && (
          <div className="contents sum">
            <dt>{words.sum}</dt>
            <dd>{format(sum)}</dd>
          </div>
        )}
      </dl>
    </div>
  )
}

function periodOf(start: number, unit: ChartUnit, zone: Zone): string {
  if (unit === 'day') return `${formatUtcWeekday(start)} ${formatUtcDay(start)}`
  const end = bucketEnd(start, unit)
  return `${formatUtcDay(start, zone)}, ${formatHour(start, zone)}–${formatHour(end, zone)}`
}
