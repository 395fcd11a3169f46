import { useEffect, useState, useSyncExternalStore } from 'react'
import { isActive } from './columns.ts'
import type { Run } from './stream/run.ts'

/** Draws the component again when the run changes: at most once per frame. */
export function useRun(run: Run): void {
  useSyncExternalStore(run.subscribe, () => run.version)
}

const SLOW_MS = 100

/** The same ten times per second, for what costs more to draw or moves by the clock alone. */
export function useRunSlowly(run: Run | undefined): void {
  const [, setTurn] = useState(0)
  useEffect(() => {
    if (run === undefined) return
    let seen = run.version
    const look = () => {
      if (seen === run.version && !isActive(run)) return
      seen = run.version
      setTurn((turn) => turn + 1)
    }
    const timer = setInterval(look, SLOW_MS)
    return () => clearInterval(timer)
  }, [run])
}
