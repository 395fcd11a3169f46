import { setTimeout as pause } from 'node:timers/promises'
import type { Exchange } from '../clients/http-client.ts'

/** How often is checked which requests are due. */
const TICK_MS = 2

export type Due = {
  /** Since the start. */
  readonly atMs: number
}

/** A request that was sent when it was due, and its answer. */
export type Offered<T extends Due> = { readonly due: T; readonly exchange: Exchange }

/** Sends every request when it is due, however slowly the earlier ones are answered. */
export async function offer<T extends Due>(
  schedule: readonly T[],
  send: (due: T) => Promise<Exchange>,
): Promise<Offered<T>[]> {
  const sorted = schedule.toSorted((one, other) => one.atMs - other.atMs)
  const open: Promise<Offered<T>>[] = []
  const startMs = performance.now()
  for (const due of sorted) {
    // pacing: each request is sent when it is due.
    while (performance.now() - startMs < due.atMs) await pause(TICK_MS)
    open.push(send(due).then((exchange) => ({ due, exchange })))
  }
  return Promise.all(open)
}
