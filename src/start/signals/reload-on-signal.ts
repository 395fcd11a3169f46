/** Reloads that SIGHUP asks for. */
export type Reloads = {
  /** Runs `reload` on each SIGHUP from now on, and at once if one has arrived before. */
  start(reload: () => unknown): void
}

/**
 * Handles SIGHUP from now on. Without a handler the signal would end the process, so this is the
 * first thing that a command does; a signal that arrives before `start` is remembered.
 */
export function reloadOnSignal(): Reloads {
  let reload: (() => unknown) | undefined
  let isAsked = false
  process.on('SIGHUP', () => {
    if (reload === undefined) isAsked = true
    else void reload()
  })
  return {
    start(run) {
      reload = run
      if (isAsked) void run()
    },
  }
}
