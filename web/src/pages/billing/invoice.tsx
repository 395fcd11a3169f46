import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Payment, Statement } from '../../api/routes.ts'
import { formatDate, formatUtcMonth } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Tag, type Tone } from '../../parts/tag.tsx'
import { statements as words } from '../../words/billing.ts'
import { payments } from '../../words/payments.ts'
import { useLeaveToPage } from './payments/use-leave-to-page.ts'

const TONES: Readonly<Record<Statement['state'], Tone>> = {
  closed: 'line',
  issued: 'accent',
  paid: 'ok',
  overdue: 'bad',
  void: 'line',
  written_off: 'line',
}

/** Where the invoice of a month is, if it has one. */
export function InvoiceTag({ state }: Pick<Statement, 'state'>) {
  if (state === 'closed') return <span className="ink-3">{words.states.closed}</span>
  return <Tag tone={TONES[state]}>{words.states[state]}</Tag>
}

/** Where the payment of an invoice is. What ends one unpaid is a decision of an operator. */
export function InvoicePaymentTag({
  state,
  month,
  other,
}: Pick<Payment, 'state' | 'month'> & {
  /** Shown for a state that invoices share with other payments. */
  readonly other: ReactNode
}) {
  const ended = { open: 'issued', expired: 'void', failed: 'written_off' } as const
  return (
    <>
      {state in ended ? <InvoiceTag state={ended[state as keyof typeof ended]} /> : other}{' '}
      {month !== null && (
        <span className="ink-3">{payments.invoiceOf(formatUtcMonth(`${month}-01`))}</span>
      )}
    </>
  )
}

/** Leads to the page of the provider where an invoice is paid. */
export function PayInvoice({ month, url }: Pick<Statement, 'month' | 'url'>) {
  return url === null ? null : <PayButton month={month} url={url} />
}

function PayButton({ month, url }: { readonly month: string; readonly url: string }) {
  const { isStrange, leaveTo } = useLeaveToPage()
  if (isStrange) return <span className="ink-3">{words.strangePage}</span>
  return (
    <Button
      size="sm"
      aria-label={words.payMonth(formatUtcMonth(`${month}-01`))}
      onClick={() => leaveTo(url)}
    >
      {words.pay}
    </Button>
  )
}

/** The oldest invoice that is overdue, and when that stops requests, or that it has. */
export function OverdueStrip({ data }: { readonly data: readonly Statement[] }) {
  const overdue = data.findLast(({ state }) => state === 'overdue')
  if (overdue?.stops_at === undefined || overdue.stops_at === null) return null
  const { month, stops_at: stopsAt } = overdue
  const isStopped = Date.parse(stopsAt) <= Date.now()
  return (
    <div className="card-body">
      <div className={isStopped ? 'strip bad' : 'strip warn'} role="status">
        <CircleAlert size={16} aria-hidden />
        <span className="grow">
          <b>{words.overdueStrip(formatUtcMonth(`${month}-01`))}</b>{' '}
          {isStopped ? words.stopped : words.stops(formatDate(stopsAt))}
        </span>
        <PayInvoice month={month} url={overdue.url} />
      </div>
    </div>
  )
}
