import { constants } from 'node:os'

/**
 * A signal ends a process without the event `exit`, at which the harness kills what it has
 * started, so that servers and processes of Headrace would run on.
 */
export function endBySignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
}
