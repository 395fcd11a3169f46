import { Link, useParams, useRouterState } from '@tanstack/react-router'
import { Ban, CircleAlert } from 'lucide-react'
import { refusedStrip as words } from '../words/shell.ts'
import { useOrganization, useOwnOrganizations } from './organization.tsx'
import { useMayPay } from './payments.ts'
import styles from './frame.module.css'

/** Above every page of an organization while all its requests are refused. */
export function RefusedStrip() {
  const { slug } = useParams({ strict: false })
  const { name, may } = useOrganization()
  const mayPay = useMayPay()
  const own = useOwnOrganizations().data?.data
  const isBilling = useRouterState({
    select: ({ location }) => location.pathname.endsWith(`/o/${slug}/billing`),
  })
  const known = own?.find((organization) => organization.slug === slug)
  const refused = known?.refused ?? null
  if (slug === undefined || refused === null) return null
  if (refused === 'suspended')
    return (
      <div className={`strip bad ${styles.aboveThePage}`} role="status">
        <Ban size={16} aria-hidden />
        <span className="grow">
          <b>{words.reasons.suspended}</b> {known?.suspended_reason}
        </span>
      </div>
    )
  // The page of billing says what the operator declared, and what helps.
  if (isBilling && refused !== 'no_balance' && refused !== 'no_credit') return null
  const helps = mayPay && refused === 'no_balance'
  return (
    <div className={`strip bad ${styles.aboveThePage}`} role="status">
      <CircleAlert size={16} aria-hidden />
      <span className="grow">
        <b>{words.reasons[refused]}</b> {!may('billing:read') && words.ask(name)}
      </span>
      {may('billing:read') && !isBilling && (
        <Link
          className="btn sm"
          to="/o/$slug/billing"
          params={{ slug }}
          search={helps ? { add: '1' } : {}}
        >
          {helps ? words.addMoney : words.billing}
        </Link>
      )}
    </div>
  )
}
