import { useEffect, useRef, useState } from 'react'
import { Fault } from '../../api/fault.ts'

type Attempt<Value> = {
  readonly working: boolean
  readonly value?: Value
  readonly fault?: Fault
}

/** Does something once when the page opens: what can be done once only must not be repeated. */
export function useAttempt<Value>(run: (() => Promise<Value>) | undefined): Attempt<Value> {
  const [attempt, setAttempt] = useState<Attempt<Value>>({ working: run !== undefined })
  const begun = useRef(false)
  useEffect(() => {
    if (run === undefined || begun.current) return
    begun.current = true
    run().then(
      (value) => setAttempt({ working: false, value }),
      (error: unknown) => {
        if (!(error instanceof Fault)) throw error
        setAttempt({ working: false, fault: error })
      },
    )
  })
  return attempt
}
