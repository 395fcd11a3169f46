import { setTimeout as pause } from 'node:timers/promises'
import type { HeadraceProcess } from '../../harness/processes/process.ts'

export const MEBIBYTE = 2 ** 20

const SAMPLE_MS = 50
/** A process that uses less than this share of a core has nothing left to do. */
const QUIET_SHARE = 0.1
const QUIET_MS = 500
const QUIET_TIMEOUT_MS = 60_000

export function mebibytes(bytes: number): number {
  return Math.round(bytes / MEBIBYTE)
}

/** Resolves when the process has handled what it was sent. */
export async function untilQuiet(api: HeadraceProcess): Promise<void> {
  const begunMs = performance.now()
  for (;;) {
    const before = api.cpuSeconds()
    // time is under test: processor time is measured over a while.
    await pause(QUIET_MS)
    const share = ((api.cpuSeconds() - before) * 1000) / QUIET_MS
    if (share < QUIET_SHARE || performance.now() - begunMs > QUIET_TIMEOUT_MS) return
  }
}

export type Peak = Disposable & { readonly bytes: number }

/** The most memory that the process has used since the call. */
export function watchPeak(api: HeadraceProcess): Peak {
  let most = api.residentBytes()
  const timer = setInterval(() => (most = Math.max(most, api.residentBytes())), SAMPLE_MS)
  return {
    get bytes() {
      return most
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
