import { CircleAlert, TriangleAlert } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { useConnection } from '../api/connection.ts'
import { Fault } from '../api/fault.ts'
import { formatClock } from '../format/clock.ts'
import { everywhere } from '../words/everywhere.ts'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import styles from './states.module.css'

const SKELETON_DELAY_MS = 150

/** True once something took so long that grey lines help; before that they only flicker. */
export function useTookLong(): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return late
}

/** Grey lines in place of what is being loaded. They have their place before they are seen. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  const late = useTookLong()
  return (
    <div
      className={styles.skeletonLines}
      data-shows="loading"
      role="status"
      aria-label={everywhere.loading}
    >
      {Array.from({ length: lines }, (_, line) => (
        <span
          key={line}
          className={styles.skel}
          data-late={late}
          style={{ width: `${90 - ((line * 17) % 45)}%` }}
        />
      ))}
    </div>
  )
}

/** One sentence and the one next step. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  readonly icon?: ReactNode
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className={styles.empty}>
      {icon}
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  )
}

/** What failed, with the request id and another try. */
export function FaultNote({
  what,
  fault,
  retry,
}: {
  /** Such as "Usage": "Usage could not be loaded." */
  readonly what?: string
  readonly fault: Fault
  readonly retry?: () => void
}) {
  return (
    <div className="strip bad" role="alert">
      <CircleAlert size={16} aria-hidden />
      <span className="grow">
        {what !== undefined && <b>{everywhere.notLoaded(what)} </b>}
        {fault.message}
        {fault.requestId !== null && (
          <span className="ink-3">
            {' '}
            {everywhere.requestId} <Copy value={fault.requestId} what={everywhere.requestId} />
          </span>
        )}
      </span>
      {retry !== undefined && (
        <Button size="sm" onClick={retry}>
          {everywhere.tryAgain}
        </Button>
      )}
    </div>
  )
}

/** On top of data that stays: the service cannot be asked now. */
export function OutageStrip({ fault, asOf }: { readonly fault: Fault; readonly asOf: number }) {
  return (
    <div className="strip warn" role="status">
      <TriangleAlert size={16} aria-hidden />
      <span>
        <b>{fault.code === 'unreachable' ? everywhere.noAnswer : everywhere.serviceBusy}</b>{' '}
        {asOf > 0 && everywhere.asOf(formatClock(asOf))}
      </span>
    </div>
  )
}

type Reading<Value> = {
  readonly data: Value | undefined
  readonly error: Fault | null
  readonly dataUpdatedAt: number
  readonly refetch: () => unknown
}

/**
 * Shows loading, error or the value. If a later reading fails, the value stays under a strip; the
 * frame has one for the whole page while nothing can be reached.
 */
export function Loaded<Value>({
  reading,
  what,
  skeleton,
  children,
}: {
  readonly reading: Reading<Value>
  readonly what: string
  readonly skeleton?: ReactNode
  readonly children: (value: Value) => ReactNode
}) {
  const { data, error, dataUpdatedAt } = reading
  const { isReachable } = useConnection()
  if (data === undefined) {
    if (error === null) return skeleton ?? <Skeleton />
    return <FaultNote what={what} fault={error} retry={() => void reading.refetch()} />
  }
  return (
    <>
      {error !== null && isReachable && <OutageStrip fault={error} asOf={dataUpdatedAt} />}
      {children(data)}
    </>
  )
}
