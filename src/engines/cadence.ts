import { performance, type EventLoopUtilization } from 'node:perf_hooks'

/**
 * Wakes readers: at once while the process has time to spare, and together at intervals when it is
 * busy. What arrived in between then costs one write instead of many, and the time of a single
 * token can no longer be read off the wire.
 */
export type Cadence = {
  wake(reader: () => void): void
}

/** How busy the event loop is before readers wait, and when they wait the longest. */
const SPARE_UTILIZATION = 0.2
const FULL_UTILIZATION = 0.45
const MEASURE_MS = 200
/**
 * So many readers share a turn of the event loop. All of a thousand streams in one turn would take
 * tens of milliseconds, in which nobody's first piece and no new request gets through.
 */
const READERS_PER_TURN = 32

/** No piece is held back longer than `intervalMsMax`. */
export function createCadence(
  intervalMsMax: number,
  utilization: () => number = measuredUtilization(),
): Cadence {
  let due: (() => void)[] = []
  const wakeFrom = (readers: readonly (() => void)[], from: number) => {
    const to = Math.min(from + READERS_PER_TURN, readers.length)
    for (let at = from; at < to; at += 1) readers[at]?.()
    if (to < readers.length) setImmediate(wakeFrom, readers, to)
  }
  const flush = () => {
    const readers = due
    due = []
    wakeFrom(readers, 0)
  }
  return {
    wake(reader) {
      const intervalMs = Math.round(shareAt(utilization()) * intervalMsMax)
      if (intervalMs === 0 && due.length === 0) {
        reader()
        return
      }
      if (due.length === 0) setTimeout(flush, intervalMs)
      due.push(reader)
    },
  }
}

function shareAt(utilization: number): number {
  const share = (utilization - SPARE_UTILIZATION) / (FULL_UTILIZATION - SPARE_UTILIZATION)
  return Math.min(Math.max(share, 0), 1)
}

/** The share of the last moments in which the event loop was at work. */
function measuredUtilization(): () => number {
  let last: EventLoopUtilization = performance.eventLoopUtilization()
  let recent = 0
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    recent = performance.eventLoopUtilization(now, last).utilization
    last = now
  }, MEASURE_MS)
  timer.unref()
  return () => recent
}
