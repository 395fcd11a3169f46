import uPlot from 'uplot'
import { partsOf, utcMidnights, type ChartColour, type ChartSeries } from './chart-shape.ts'

// Draws the bars on uPlot's canvas. Sizes here are in CSS pixels times `uPlot.pxRatio`.

export type Shape = {
  readonly starts: readonly number[]
  readonly series: readonly ChartSeries[]
  readonly hourly: boolean
  readonly unfinished: number | undefined
  readonly ticks: readonly number[]
}

export type Colours = {
  readonly parts: Readonly<Record<ChartColour, string>>
  readonly grid: string
  readonly axis: string
  readonly base: string
  readonly hover: string
  readonly fonts: string
}

const BAR_SHARE = 0.72
const MAX_BAR = 40
const HATCH_SIZE = 5
const HATCH_LINE = 1.8
const HATCH_GROUND = 0.16
const MIDNIGHT_LABEL = '00:00 UTC'

/** A canvas knows no tokens: the browser computes them, again when the theme changes. */
export function readColours(host: HTMLElement): Colours {
  const probe = host.ownerDocument.createElement('span')
  host.append(probe)
  const read = (token: string) => {
    probe.style.color = `var(${token})`
    return getComputedStyle(probe).color
  }
  const colours: Colours = {
    parts: {
      1: read('--chart-1'),
      2: read('--chart-2'),
      3: read('--chart-3'),
      4: read('--chart-4'),
      5: read('--chart-5'),
      6: read('--chart-6'),
      other: read('--chart-other'),
      fail: read('--chart-fail'),
    },
    grid: read('--chart-grid'),
    axis: read('--chart-axis'),
    base: read('--line-strong'),
    hover: read('--fill-active'),
    fonts: getComputedStyle(probe).fontFamily,
  }
  probe.remove()
  return colours
}

/** Left edge and width of a bar's whole slot, and of the bar in its middle. */
export function placeOf(plot: uPlot, bar: number, count: number) {
  const ratio = uPlot.pxRatio
  const slot = plot.bbox.width / Math.max(1, count)
  const width = Math.max(ratio, Math.min(MAX_BAR * ratio, Math.round(slot * BAR_SHARE)))
  const left = plot.bbox.left + slot * bar
  return { slotLeft: left, slot, left: Math.round(left + (slot - width) / 2), width }
}

export function drawBars(plot: uPlot, shape: Shape, colours: Colours, hovered: number | null) {
  const { ctx } = plot
  ctx.save()
  if (hovered !== null && hovered < shape.starts.length) {
    const { slotLeft, slot } = placeOf(plot, hovered, shape.starts.length)
    ctx.fillStyle = colours.hover
    ctx.fillRect(slotLeft, plot.bbox.top, slot, plot.bbox.height)
  }
  for (const bar of shape.starts.keys()) drawBar(plot, shape, colours, bar)
  drawBase(plot, colours)
  if (shape.hourly)
    for (const bar of utcMidnights(shape.starts)) drawMidnight(plot, shape, colours, bar)
  ctx.restore()
}

function drawBar(plot: uPlot, shape: Shape, colours: Colours, bar: number): void {
  const { ctx } = plot
  const ratio = uPlot.pxRatio
  const { left, width } = placeOf(plot, bar, shape.starts.length)
  for (const { colour, from, to } of partsOf(shape.series, bar)) {
    const bottom = Math.round(plot.valToPos(from, 'y', true))
    const top = Math.round(plot.valToPos(to, 'y', true))
    // One pixel between parts; a part that is there is never invisible.
    const gap = from === 0 ? 0 : Math.round(ratio)
    const height = Math.max(Math.round(ratio), bottom - gap - top)
    const y = bottom - gap - height
    if (bar !== shape.unfinished) {
      ctx.fillStyle = colours.parts[colour]
      ctx.fillRect(left, y, width, height)
      continue
    }
    ctx.fillStyle = hatch(ctx, colours.parts[colour], ratio)
    ctx.fillRect(left, y, width, height)
    ctx.strokeStyle = colours.parts[colour]
    ctx.lineWidth = ratio
    ctx.strokeRect(left + ratio / 2, y + ratio / 2, width - ratio, Math.max(0, height - ratio))
  }
}

/** Lines at 45° on a pale ground of the same colour: what is not over. */
function hatch(
  ctx: CanvasRenderingContext2D,
  colour: string,
  ratio: number,
): CanvasPattern | string {
  const size = Math.round(HATCH_SIZE * ratio)
  const tile = new OffscreenCanvas(size, size)
  const brush = tile.getContext('2d')
  if (brush === null) return colour
  brush.fillStyle = colour
  brush.globalAlpha = HATCH_GROUND
  brush.fillRect(0, 0, size, size)
  brush.globalAlpha = 1
  brush.fillRect(0, 0, HATCH_LINE * ratio, size)
  const pattern = ctx.createPattern(tile, 'repeat')
  pattern?.setTransform(new DOMMatrix().rotate(45))
  return pattern ?? colour
}

function drawBase(plot: uPlot, colours: Colours): void {
  const { ctx } = plot
  const y = Math.round(plot.valToPos(0, 'y', true)) + uPlot.pxRatio / 2
  ctx.strokeStyle = colours.base
  ctx.lineWidth = uPlot.pxRatio
  ctx.beginPath()
  ctx.moveTo(plot.bbox.left, y)
  ctx.lineTo(plot.bbox.left + plot.bbox.width, y)
  ctx.stroke()
}

function drawMidnight(plot: uPlot, shape: Shape, colours: Colours, bar: number): void {
  const { ctx } = plot
  const ratio = uPlot.pxRatio
  const { slotLeft } = placeOf(plot, bar, shape.starts.length)
  const x = Math.round(slotLeft) + ratio / 2
  ctx.strokeStyle = colours.axis
  ctx.lineWidth = ratio
  ctx.setLineDash([ratio, 3 * ratio])
  ctx.beginPath()
  ctx.moveTo(x, plot.bbox.top - 10 * ratio)
  ctx.lineTo(x, plot.bbox.top + plot.bbox.height)
  ctx.stroke()
  ctx.setLineDash([])
  ctx.font = `${10 * ratio}px ${colours.fonts}`
  ctx.fillStyle = colours.axis
  ctx.textBaseline = 'bottom'
  // At the end of the plot there is no room behind the line.
  const behind = plot.bbox.left + plot.bbox.width - x < 60 * ratio
  ctx.textAlign = behind ? 'right' : 'left'
  ctx.fillText(MIDNIGHT_LABEL, x + (behind ? -4 : 4) * ratio, plot.bbox.top - ratio)
}
