import { useSyncExternalStore } from 'react'

/** Whether the console can be reached, and when it last answered. */
export type Connection = {
  readonly isReachable: boolean
  /** Whether the last call was answered, and not by an outage of what the console needs. */
  readonly isAnswering: boolean
  /** 0 before the first answer. */
  readonly answeredAt: number
}

const listeners = new Set<() => void>()
let connection: Connection = { isReachable: true, isAnswering: true, answeredAt: 0 }

function set(next: Connection): void {
  connection = next
  for (const listen of listeners) listen()
}

/** Set by the shell: what was read before the console was out of reach may be wrong by now. */
export const onReachableAgain = { call: () => {} }

/** The console answered a call. */
export function noteAnswer(): void {
  if (!connection.isReachable) setTimeout(onReachableAgain.call)
  set({ isReachable: true, isAnswering: true, answeredAt: Date.now() })
}

/** The console can be reached, but not what it needs. */
export function noteOutage(): void {
  if (!connection.isReachable) setTimeout(onReachableAgain.call)
  set({ ...connection, isReachable: true, isAnswering: false })
}

export function noteUnreachable(): void {
  if (connection.isReachable) set({ ...connection, isReachable: false, isAnswering: false })
}

// The browser knows at once that there is no network; that there is one proves no answer.
addEventListener('offline', noteUnreachable)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection)
}
