import { performance, type EventLoopUtilization } from 'node:perf_hooks'

/** Pauses between the reads of an engine's stream. */
export type ReadPauses = {
  /** Returns false if there shall be no pause now. Otherwise calls `resumeReads` later. */
  pause(reader: PausedReader): boolean
}

export type PausedReader = { resumeReads(): void }

/** Event-loop utilization at which pauses begin, and at which they have their full length. */
const PAUSES_BEGIN_UTILIZATION = 0.2
const FULL_PAUSE_UTILIZATION = 0.45
const MEASURE_MS = 200
/**
 * Streams resumed per turn of the event loop. A thousand in one turn would block it for tens of
 * milliseconds, and delay first tokens and new requests by as much.
 */
const STREAMS_PER_TURN = 8

/**
 * Pauses while the process is busy, none longer than `pauseMsMax`. After a read a stream is paused,
 * and all paused streams resume together. Whatever arrives during the pause costs one read and one
 * write instead of many, and an observer can no longer time single tokens.
 */
export function createReadPauses(
  pauseMsMax: number,
  utilization: () => number = measuredUtilization(),
): ReadPauses {
  let due: PausedReader[] = []
  const flush = () => {
    const readers = due
    due = []
    resumeAll(readers, 0)
  }
  return {
    pause(reader) {
      const pauseMs = Math.round(shareAt(utilization()) * pauseMsMax)
      if (pauseMs === 0) return false
      if (due.length === 0) setTimeout(flush, pauseMs)
      due.push(reader)
      return true
    },
  }
}

function resumeAll(readers: readonly PausedReader[], from: number): void {
  const to = Math.min(from + STREAMS_PER_TURN, readers.length)
  for (let at = from; at < to; at += 1) readers[at]?.resumeReads()
  if (to < readers.length) setImmediate(resumeAll, readers, to)
}

function shareAt(utilization: number): number {
  const share =
    (utilization - PAUSES_BEGIN_UTILIZATION) / (FULL_PAUSE_UTILIZATION - PAUSES_BEGIN_UTILIZATION)
  return Math.min(Math.max(share, 0), 1)
}

/** Event-loop utilization over the last `MEASURE_MS`. */
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
