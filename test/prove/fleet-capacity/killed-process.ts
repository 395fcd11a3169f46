import { setTimeout as pause } from 'node:timers/promises'
import { slottedRequest, sumOf, type SlottedEngines } from '../../harness/fake-engine/slotted.ts'
import type { Line } from '../../harness/clients/http-client.ts'
import { timeUntil, waitUntil } from '../../harness/figures/measure.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'

type Killed = {
  readonly process: HeadraceProcess
  readonly line: Line
  /** Of all engines. */
  readonly slots: number
}

type Others = {
  readonly engines: SlottedEngines
  readonly lines: readonly Line[]
  readonly keys: readonly string[]
  readonly model: string
}

/** Longer than the measurement: nothing ends by itself. */
const LONG_MS = 120_000
const TIMEOUT_MS = 60_000
const RETRY_MS = 50

/**
 * One process fills all slots and is killed. Returns how long it takes until the other processes
 * use all of them; Infinity if they never do.
 */
export async function measureReturn(killed: Killed, others: Others): Promise<number> {
  const { engines, lines, keys, model } = others
  const body = slottedRequest(model, { ms: LONG_MS, prompt: 100, tokens: 100 })
  const left = new AbortController()
  /** Tries until it has a slot, which it keeps to the end. */
  const occupy = async (line: Line, index: number) => {
    while (!left.signal.aborted) {
      // A connection ends with the process, or with the measurement.
      await line.chat(keys[index % keys.length] ?? '', body).catch(() => undefined)
      // pacing: a client that got no slot asks again after a moment.
      await pause(RETRY_MS)
    }
  }
  const isFull = async () => sumOf(await engines.counts(), 'running') === killed.slots
  const first = Array.from({ length: killed.slots }, (_, index) => occupy(killed.line, index))
  await waitUntil('one process to fill all slots', isFull, TIMEOUT_MS)
  await killed.process.kill()
  const sinceMs = performance.now()
  const rest = Array.from({ length: killed.slots }, (_, index) =>
    occupy(lines[index % lines.length]!, index),
  )
  const isBack = (await timeUntil(isFull, TIMEOUT_MS)) !== null
  const returnMs = performance.now() - sinceMs
  left.abort()
  await Promise.all([killed.line, ...lines].map((line) => line[Symbol.asyncDispose]()))
  await Promise.all([...first, ...rest])
  return isBack ? returnMs : Infinity
}
