import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { everywhere } from '../words/everywhere.ts'
import styles from './checklist.module.css'

const STATES = { done: styles.done, now: styles.now, later: styles.later } as const

/** Steps in their order. Each is checked off by what the service reports, not by a click. */
export function Checklist({ children }: { readonly children: ReactNode }) {
  return <ol className={styles.checklist}>{children}</ol>
}

export function Step({
  number,
  title,
  state,
  end,
  children,
}: {
  readonly number: number
  readonly title: string
  readonly state: keyof typeof STATES
  readonly end?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <li className={STATES[state]} aria-current={state === 'now' ? 'step' : undefined}>
      {state === 'done' ? (
        <span className={styles.markN} role="img" aria-label={everywhere.stepDone}>
          <Check size={14} aria-hidden />
        </span>
      ) : (
        <span className={styles.markN}>{number}</span>
      )}
      <div>
        <div className="row">
          <h2>{title}</h2>
          {end !== undefined && end !== false && <span className="push ink-3 xs num">{end}</span>}
        </div>
        {children}
      </div>
    </li>
  )
}
