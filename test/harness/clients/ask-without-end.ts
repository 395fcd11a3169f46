import { setTimeout as pause } from 'node:timers/promises'

/** Requests that are repeated without end, and the statuses of their answers. */
export type Asking = {
  readonly answers: ReadonlyMap<number, number>
  stop(): void
  /** Resolves when the last answer came, after `stop`. */
  readonly ended: Promise<unknown>
}

/** A refused request is sent again after this. */
const RETRY_MS = 100

/**
 * Keeps `open` requests open: each sends the next as soon as one has ended. `ask` gets the number
 * of the request that it repeats, and resolves to a status.
 */
export function askWithoutEnd(open: number, ask: (index: number) => Promise<number>): Asking {
  const answers = new Map<number, number>()
  const stopping = new AbortController()
  const repeat = async (index: number) => {
    while (!stopping.signal.aborted) {
      const status = await ask(index)
      answers.set(status, (answers.get(status) ?? 0) + 1)
      // pacing: a client that was refused asks again after a moment.
      if (status !== 200) await pause(RETRY_MS)
    }
  }
  const asking = Array.from({ length: open }, (_, index) => repeat(index))
  return { answers, stop: () => stopping.abort(), ended: Promise.all(asking) }
}
