import { performance, type EventLoopUtilization } from 'node:perf_hooks'

/**
 * Lets streams rest when the process is busy. After each read a stream is left alone for a while,
 * and all go on together. What arrived in between then costs one read and one write instead of
 * many, and the time of a single token can no longer be read off the wire.
 */
export type Cadence = {
  /** False if there is time to spare. Else the rest ends within the interval. */
  rest(stream: Resting): boolean
}

export type Resting = { endRest(): void }

/** How busy the event loop is before streams rest, and when they rest the longest. */
const SPARE_UTILIZATION = 0.2
const FULL_UTILIZATION = 0.45
const MEASURE_MS = 200
/**
 * So many streams share a turn of the event loop. All of a thousand in one turn would take tens of
 * milliseconds, in which nobody's first piece and no new request gets through.
 */
const STREAMS_PER_TURN = 32

/** No piece is held back longer than `intervalMsMax`. */
export function createCadence(
  intervalMsMax: number,
  utilization: () => number = measuredUtilization(),
): Cadence {
  let due: Resting[] = []
  const endRests = (streams: readonly Resting[], from: number) => {
    const to = Math.min(from + STREAMS_PER_TURN, streams.length)
    for (let at = from; at < to; at += 1) streams[at]?.endRest()
    if (to < streams.length) setImmediate(endRests, streams, to)
  }
  const flush = () => {
    const streams = due
    due = []
    endRests(streams, 0)
  }
  return {
    rest(stream) {
      const intervalMs = Math.round(shareAt(utilization()) * intervalMsMax)
      if (intervalMs === 0) return false
      if (due.length === 0) setTimeout(flush, intervalMs)
      due.push(stream)
      return true
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
