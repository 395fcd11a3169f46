import { findFixedChanges } from '../config/find-fixed-changes.ts'
import { ConfigError, type Config } from '../config/load.ts'
import type { LastReload, ProcessStatus } from '../contract/management/operator-system.ts'
import { traceError, type Log } from '../lib/log.ts'
import type { Meter } from '../lib/meter.ts'
import { processStatus } from './process-status.ts'

/** The configuration in force in a process. */
export type Configuration = {
  readonly current: Config
  /** What the process tells about itself. */
  readonly status: ProcessStatus
}

export type ReloadableConfiguration = Configuration & {
  /** Loads the configuration again and applies it, or keeps the one in force. Never rejects. */
  reload(load: () => Config): Promise<void>
}

export type ReloadOptions = {
  readonly log: Log
  readonly meter: Meter
  /** Makes it take effect. Throws a ConfigError if that is not possible, and then does nothing. */
  readonly apply?: (next: Config) => Promise<void>
}

/** Enough to correct a file; the command line prints all. */
const PROBLEMS_MAX = 20

/** A configuration that never changes, such as that of a command. */
export function fixedConfiguration(kind: ProcessStatus['kind'], config: Config): Configuration {
  return { current: config, status: processStatus(kind, config) }
}

/**
 * Replaces the configuration as a whole or not at all. A change of settings that need a restart is
 * rejected, so that the fingerprint of a process always tells which file it follows.
 */
export function openConfiguration(
  kind: ProcessStatus['kind'],
  initial: Config,
  { log, meter, apply = () => Promise.resolve() }: ReloadOptions,
): ReloadableConfiguration {
  let current = initial
  let status = processStatus(kind, initial)
  let running = Promise.resolve()
  let count = 0
  const description = 'Reloads of the configuration, by result.'
  const counted = (result: LastReload['result']) =>
    meter.counter('headrace_reloads_total', description, { result })
  const counters = { applied: counted('applied'), rejected: counted('rejected') }
  meter.watch('headrace_last_reload_applied', '0 if the last reload was rejected, else 1.', () =>
    status.reload?.result === 'rejected' ? 0 : 1,
  )

  async function replace(load: () => Config): Promise<void> {
    const next = load()
    const fixed = findFixedChanges(current, next)
    if (fixed.length > 0)
      throw new ConfigError(fixed.map((name) => `${name} has changed, which needs a restart`))
    await apply(next)
    current = next
    status = { ...processStatus(kind, next), started_at: status.started_at }
  }

  function note(result: LastReload['result'], problems: readonly string[]): void {
    counters[result].add(1)
    count += 1
    const at = new Date().toISOString()
    status = { ...status, reload: { count, at, result, problems: [...problems] } }
  }

  async function reload(load: () => Config): Promise<void> {
    try {
      await replace(load)
      note('applied', [])
      log.info({}, 'configuration reloaded')
    } catch (error) {
      const isOurs = error instanceof ConfigError
      const problems = isOurs ? error.problems.slice(0, PROBLEMS_MAX) : ['an internal error']
      note('rejected', problems)
      if (isOurs) log.error({ problems }, 'configuration rejected, keeping the one in force')
      else log.error({ error: traceError(error) }, 'reload failed')
    }
  }

  return {
    get current() {
      return current
    },
    get status() {
      return status
    },
    reload(load) {
      running = running.then(() => reload(load))
      return running
    },
  }
}
