import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** A signal for this process ends its child first, with all that the child has started. */
export function passSignals(child: ChildProcess): void {
  let received: (typeof SIGNALS)[number] | undefined
  const pass = (signal: (typeof SIGNALS)[number]) => {
    received = signal
    child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, pass)
  child.once('close', () => {
    if (received !== undefined) process.exit(128 + constants.signals[received])
    for (const signal of SIGNALS) process.removeListener(signal, pass)
  })
}
