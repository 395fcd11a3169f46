import { useEffect, useState } from 'react'
import type { Fault } from '../../api/fault.ts'

const SECOND_MS = 1000
/** Where the answer does not say how long. */
const WAIT_SECONDS = 60

/** Seconds until another attempt is accepted, after too many: a new number every second. */
export function useWait(fault: Fault | null): number {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    if (fault?.code !== 'too_many_attempts') {
      setLeft(0)
      return
    }
    const endsAt = Date.now() + (fault.retryAfter ?? WAIT_SECONDS) * SECOND_MS
    const count = () => setLeft(Math.max(0, Math.ceil((endsAt - Date.now()) / SECOND_MS)))
    count()
    const timer = setInterval(count, SECOND_MS)
    return () => clearInterval(timer)
  }, [fault])
  return left
}
