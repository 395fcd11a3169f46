import type { Timing } from '../stream/timing.ts'

/** Full scales of the time axis, in seconds, times a power of ten. */
const STEPS = [1, 2, 4, 5, 8, 10]
const TICKS = 4
const SECOND_MS = 1000

/** The end of the axis: the first round figure that holds all of it. */
export function scaleOf(milliseconds: number): number {
  const seconds = Math.max(milliseconds / SECOND_MS, 0.1)
  const power = 10 ** Math.floor(Math.log10(seconds))
  const step = STEPS.find((each) => each * power >= seconds) ?? STEPS.at(-1)!
  return step * power * SECOND_MS
}

export function ticksOf(scale: number): number[] {
  return Array.from({ length: TICKS + 1 }, (_, tick) => (scale * tick) / TICKS)
}

/**
 * One vertical line for each event, and at most one for each step of `width`: the path stays short,
 * however many events there are.
 */
export function pathOf(
  instants: readonly number[],
  {
    x,
    y,
    height,
    least,
  }: {
    readonly x: (at: number) => number
    readonly y: number
    readonly height: number
    /** Least distance of two lines. */
    readonly least: number
  },
): string {
  let path = ''
  let last = -Infinity
  for (const at of instants) {
    const place = x(at)
    if (place - last < least) continue
    last = place
    path += `M${place.toFixed(1)} ${y}v${height}`
  }
  return path
}

/** When the request was over, or how long it has been running. */
export function lengthOf({ endedAt }: Timing, elapsed: number): number {
  return endedAt ?? elapsed
}
