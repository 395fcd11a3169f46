import { ExternalLink } from 'lucide-react'
import { addressOf } from '../../../api/call.ts'
import type { Payment } from '../../../api/routes.ts'
import { useList, type List } from '../../../api/use-list.ts'
import { formatMoney, UNKNOWN } from '../../../format/number.ts'
import { formatInstant } from '../../../format/time.ts'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/page.tsx'
import { ListTable, type Column } from '../../../parts/table.tsx'
import { Tag, type Tone } from '../../../parts/tag.tsx'
import { Instant } from '../../../parts/time.tsx'
import { useMayPay } from '../../../shell/payments.ts'
import { useOrganization } from '../../../shell/organization.tsx'
import { statements } from '../../../words/billing.ts'
import { addMoney, payments as words } from '../../../words/payments.ts'
import { InvoicePaymentTag } from '../invoice.tsx'
import { useCancel } from './use-cancel.ts'
import { useLeaveToPage } from './use-leave-to-page.ts'
import styles from './payments.module.css'

const EVERY_MS = 15_000

const { columns } = words
const COLUMNS: readonly Column[] = [
  { name: columns.when },
  { name: columns.state },
  { name: columns.amount, numeric: true },
  { name: columns.tax, numeric: true, className: 'opt' },
  { name: columns.actions, hidden: true },
]

const TONES: Readonly<Partial<Record<Payment['state'], Tone>>> = {
  succeeded: 'ok',
  open: 'warn',
  processing: 'accent',
  failed: 'bad',
  attention: 'bad',
}

/** Payments of the organization, newest first. */
export function usePayments(): List<Payment> {
  const { path } = useOrganization()
  return useList('GET /organizations/{organization}/payments', { path }, { every: EVERY_MS })
}

export function PaymentList({ list }: { readonly list: List<Payment> }) {
  return (
    <Card title={words.card}>
      <ListTable
        caption={words.all}
        what={words.card}
        className={styles.payments}
        columns={COLUMNS}
        list={list}
        empty={<p className="card-body ink-3">{words.none}</p>}
        row={(payment) => <PaymentRow key={payment.id} payment={payment} />}
      />
    </Card>
  )
}

function PaymentRow({ payment }: { readonly payment: Payment }) {
  const mayPay = useMayPay()
  const { state, failure, amount, tax, created_at: time, has_document: hasDocument } = payment
  const isDeclined = state === 'open' && failure !== null
  const isInvoice = payment.kind === 'invoice'
  const canBePaid = state === 'open' || state === 'needs_customer'
  const tag = (
    <Tag tone={TONES[state] ?? 'line'}>
      {isDeclined && !isInvoice ? words.declinedOnce : words.states[state]}
    </Tag>
  )
  return (
    <tr>
      <th scope="row">
        <Instant time={time} />
      </th>
      <td className={styles.state}>
        {isInvoice ? <InvoicePaymentTag state={state} month={payment.month} other={tag} /> : tag}
      </td>
      <td className={`num ${styles.amount}`}>{formatMoney(amount)}</td>
      <td className="num opt">{tax === null ? UNKNOWN : formatMoney(tax)}</td>
      <td className={styles.rowEnd}>
        {mayPay && canBePaid && <OpenPayment payment={payment} />}
        {mayPay && hasDocument && <Receipt payment={payment} />}
      </td>
    </tr>
  )
}

/** On the page of the provider, in a tab of its own. */
function Receipt({ payment: { id, created_at: time } }: { readonly payment: Payment }) {
  const { path } = useOrganization()
  const route = 'GET /organizations/{organization}/payments/{payment}/document'
  return (
    <a
      className="quiet-link"
      href={addressOf(route, { path: { ...path, payment: id } })}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={words.receiptOf(formatInstant(time))}
    >
      {words.receipt} <ExternalLink size={14} aria-hidden />
    </a>
  )
}

function OpenPayment({ payment: { id, kind, url } }: { readonly payment: Payment }) {
  const { isStrange, leaveTo } = useLeaveToPage()
  const { busy, cancel } = useCancel(id)
  return (
    <>
      {isStrange && <span role="alert">{addMoney.strangePage}</span>}
      {kind !== 'invoice' && (
        <Button size="sm" busy={busy} onClick={cancel}>
          {words.cancel}
        </Button>
      )}
      {url !== null && (
        <Button size="sm" onClick={() => leaveTo(url)}>
          {kind === 'invoice' ? statements.pay : words.goOn}
        </Button>
      )}
    </>
  )
}
