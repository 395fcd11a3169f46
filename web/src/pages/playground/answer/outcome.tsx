import { Link } from '@tanstack/react-router'
import { CircleAlert, OctagonX } from 'lucide-react'
import { useState } from 'react'
import { HAS_PAYMENTS } from '../../../api/place.ts'
import { Button } from '../../../parts/button.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { useNow } from '../../../parts/now.ts'
import { useOrganization } from '../../../shell/organization.tsx'
import { useMayPay } from '../../../shell/payments.ts'
import { WhoPays } from '../../../shell/who-pays.tsx'
import { everywhere } from '../../../words/everywhere.ts'
import { gate } from '../../../words/gate.ts'
import { playground } from '../../../words/playground.ts'
import type { Run, RunFault } from '../stream/run.ts'
import styles from '../talk.module.css'

/** How an answer ended, if it did not simply end: in words, with the request id and a next step. */
export function Outcome({
  run,
  organization,
  onAgain,
}: {
  readonly run: Run
  readonly organization: string
  readonly onAgain: (() => void) | undefined
}) {
  const { fault, state } = run
  if (state === 'stopped')
    return (
      <p className="strip" role="status">
        <OctagonX size={16} aria-hidden />
        <span className="grow">{playground.ended.stopped}</span>
        {onAgain !== undefined && (
          <Button size="sm" onClick={onAgain}>
            {playground.again}
          </Button>
        )}
      </p>
    )
  if (fault === null) return null
  return (
    <div className={`strip bad ${styles.outcome}`} role="alert">
      <CircleAlert size={16} aria-hidden />
      <span className="grow">
        <b>{headingOf(fault, run)}</b> {fault.message}{' '}
        {fault.kind === 'broken' && run.status !== null && playground.ended.brokenText}
        <NextStep fault={fault} organization={organization} />
        {fault.code !== null && <span className="ink-3 mono"> {fault.code}</span>}
        {run.requestId !== null && (
          <span className="ink-3">
            {' '}
            {everywhere.requestId} <Copy value={run.requestId} what={everywhere.requestId} />
          </span>
        )}
      </span>
      {onAgain !== undefined && <Again retryAt={fault.retryAt} onAgain={onAgain} />}
    </div>
  )
}

function headingOf({ kind, status }: RunFault, run: Run): string {
  if (kind === 'event') return playground.ended.event
  if (kind === 'refused') return playground.ended.refused(status ?? 0)
  return run.status === null ? playground.ended.noAnswer : playground.ended.broken
}

const PAYMENT_REQUIRED = 402
const FORBIDDEN = 403
const NOT_FOUND = 404

/** What the person can do, or whom to ask: only some roles can do something about a balance. */
function NextStep({
  fault: { status, code },
  organization,
}: {
  readonly fault: RunFault
  readonly organization: string
}) {
  const { slug, may } = useOrganization()
  const mayPay = useMayPay()
  const isCredit = code === 'credit_limit_reached'
  if (status === PAYMENT_REQUIRED && mayPay && !isCredit)
    return (
      <Link className="link" to="/o/$slug/billing" params={{ slug }} search={{ add: '1' }}>
        {gate.addMoney}
      </Link>
    )
  if (status === PAYMENT_REQUIRED && HAS_PAYMENTS && !isCredit) return <WhoPays />
  if (status === PAYMENT_REQUIRED && may('billing:write'))
    return (
      <Link className="link" to="/o/$slug/billing" params={{ slug }}>
        {playground.ask.billing}
      </Link>
    )
  if (status === PAYMENT_REQUIRED) return playground.ask.balance(organization)
  if (status === FORBIDDEN) return playground.ask.plan
  if (status === NOT_FOUND && code === 'model_not_found') return playground.gone
  return null
}

const SECOND_MS = 1000

/** A 429 says when the next request passes; until then the button says how long that is. */
function Again({
  retryAt,
  onAgain,
}: {
  readonly retryAt: number | null
  readonly onAgain: () => void
}) {
  // The clock of the page ticks, and its last tick may be before the answer came.
  const [shownAt] = useState(Date.now)
  const now = Math.max(useNow(), shownAt)
  const seconds = retryAt === null ? 0 : Math.ceil((retryAt - now) / SECOND_MS)
  return (
    <Button size="sm" busy={seconds > 0} onClick={onAgain}>
      {seconds > 0 ? playground.againIn(seconds) : playground.again}
    </Button>
  )
}
