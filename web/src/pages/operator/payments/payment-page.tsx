import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft, ExternalLink, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { OperatorPaymentDetail } from '../../../api/routes.ts'
import { useApi, useChange } from '../../../api/use-api.ts'
import { formatMoney, UNKNOWN } from '../../../format/number.ts'
import { Button } from '../../../parts/button.tsx'
import { LinesCard, type Line } from '../../../parts/lines-card.tsx'
import { Name } from '../../../parts/name.tsx'
import { Page } from '../../../parts/page.tsx'
import { FaultNote, Loaded } from '../../../parts/states.tsx'
import { Instant } from '../../../parts/time.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'
import styles from '../operator.module.css'
import { useMayChange } from '../platform-role.ts'
import { BothSides } from './both-sides.tsx'
import { OrganizationLink } from './organization-link.tsx'
import { PaymentTag } from './payment-tags.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { ResolveDialog } from './resolve-dialog.tsx'
import { ReturnedCards } from './returned-cards.tsx'
import { Timeline } from './timeline.tsx'

const route = getRouteApi('/app/operator/payments/$payment')

export function OperatorPaymentPage() {
  const { payment } = route.useParams()
  const reading = useApi('GET /operator/payments/{payment}', { path: { payment } })
  const check = useChange('POST /operator/payments/{payment}/check', 'all')
  const [asking, setAsking] = useState<'refund' | 'resolve' | null>(null)
  const mayChange = useMayChange()
  const detail = reading.data
  return (
    <Page
      title={words.payment}
      sub={detail !== undefined && <PaymentTag payment={detail.payment} />}
      crumb={
        <Link className="crumb" to="/operator/payments">
          <ChevronLeft size={14} aria-hidden /> {words.title}
        </Link>
      }
      actions={
        mayChange &&
        detail !== undefined && (
          <>
            <Button disabled={check.isPending} onClick={() => check.mutate({ path: { payment } })}>
              <RefreshCw size={14} aria-hidden /> {words.check}
            </Button>
            {detail.refundable.amount_micro > 0 && (
              <Button onClick={() => setAsking('refund')}>{words.refund}</Button>
            )}
            {detail.payment.state === 'attention' && (
              <Button look="primary" onClick={() => setAsking('resolve')}>
                {words.resolve}
              </Button>
            )}
          </>
        )
      }
    >
      {check.error !== null && <FaultNote what={words.check} fault={check.error} />}
      <Loaded reading={reading} what={words.payment}>
        {(value) => (
          <div className={styles.stacked}>
            <div className={`grid ${styles.halves}`}>
              <Facts detail={value} />
              <BothSides payment={value.payment} />
            </div>
            <ReturnedCards detail={value} />
            <Timeline detail={value} />
          </div>
        )}
      </Loaded>
      {asking === 'refund' && detail !== undefined && (
        <RefundDialog detail={detail} onClose={() => setAsking(null)} />
      )}
      {asking === 'resolve' && detail !== undefined && (
        <ResolveDialog detail={detail} onClose={() => setAsking(null)} />
      )}
    </Page>
  )
}

function Facts({ detail }: { readonly detail: OperatorPaymentDetail }) {
  const { payment, refundable, refs, next_reading_at: nextReading } = detail
  const { resolution } = payment
  const lines: readonly Line[] = [
    [words.amount, formatMoney(payment.amount)],
    [words.tax, payment.tax === null ? UNKNOWN : formatMoney(payment.tax)],
    [words.returned, formatMoney(payment.returned)],
    [words.refundable, formatMoney(refundable)],
    [words.organization, <OrganizationLink key="organization" of={payment} />],
    [words.money, <Ref key="money" value={refs.money} />],
    [words.invoice, <Ref key="invoice" value={refs.invoice} />],
    [words.created, <Instant key="created" time={payment.created_at} />],
    [words.nextReading, <Instant key="next" time={nextReading} />],
    [words.decision, resolution === null ? UNKNOWN : words.resolutions[resolution]],
  ]
  return <LinesCard title={words.facts} end={<DashboardLink detail={detail} />} lines={lines} />
}

function DashboardLink({ detail }: { readonly detail: OperatorPaymentDetail }) {
  const { dashboard_url: url } = detail
  if (url === null) return null
  return (
    <a className="quiet-link" href={url} target="_blank" rel="noopener noreferrer">
      {words.dashboard} <ExternalLink size={14} aria-hidden />
    </a>
  )
}

/** A name of the provider, which is longer than its place. */
function Ref({ value }: { readonly value: string | null }) {
  return value === null ? (
    UNKNOWN
  ) : (
    <code>
      <Name value={value} />
    </code>
  )
}
