import { useSyncExternalStore } from 'react'

const TICK_MS = 1000

/** One clock for the page: everything that shows an age moves together. */
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const listen of listeners) listen()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time, a new one every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
