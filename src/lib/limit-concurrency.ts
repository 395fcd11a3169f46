/** Too many tasks are waiting, or this one takes too long. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy'
}

export type ConcurrencyLimits = {
  readonly running: number
  readonly waiting: number
  /** For waiting and running. A task that still waits then is not started any more. */
  readonly deadlineMs: number
}

/**
 * Runs tasks in order, at most so many at once. Throws TooBusy instead of waiting for long; a task
 * that runs beyond its deadline keeps its place until it ends.
 */
export function limitConcurrency(
  limits: ConcurrencyLimits,
  now: () => number = () => performance.now(),
): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: { readonly sinceMs: number; readonly turn: PromiseWithResolvers<void> }[] = []

  /** Passes the place on, or frees it. */
  function release(): void {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (now() - next.sinceMs <= limits.deadlineMs) return next.turn.resolve()
      next.turn.reject(new TooBusy('waited for too long'))
    }
    running -= 1
  }

  async function take(): Promise<void> {
    if (running < limits.running) {
      running += 1
      return
    }
    if (waiting.length >= limits.waiting) throw new TooBusy('too many are waiting')
    const turn = Promise.withResolvers<void>()
    waiting.push({ sinceMs: now(), turn })
    await turn.promise
  }

  async function run<T>(task: () => Promise<T>): Promise<T> {
    await take()
    try {
      return await task()
    } finally {
      release()
    }
  }

  return async (task) => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new TooBusy('took too long')), limits.deadlineMs)
    try {
      return await Promise.race([run(task), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
