import type { Dispute, OperatorPayment, Refund } from '../../../api/routes.ts'
import { Tag, type Tone } from '../../../parts/tag.tsx'
import { operatorPayments as words } from '../../../words/operator-payments.ts'
import { InvoicePaymentTag } from '../../billing/invoice.tsx'

const PAYMENT_TONES: Readonly<Record<OperatorPayment['state'], Tone>> = {
  created: 'line',
  open: 'line',
  processing: 'accent',
  needs_customer: 'warn',
  succeeded: 'ok',
  failed: 'bad',
  expired: 'line',
  attention: 'warn',
}

/** Where a payment is, and whether it is an invoice. */
export function PaymentTag({ payment }: { readonly payment: OperatorPayment }) {
  const { kind, state, month } = payment
  const tag = <Tag tone={PAYMENT_TONES[state]}>{words.states[state]}</Tag>
  return kind === 'invoice' ? <InvoicePaymentTag state={state} month={month} other={tag} /> : tag
}

const REFUND_TONES: Readonly<Record<Refund['state'], Tone>> = {
  requested: 'warn',
  pending: 'accent',
  succeeded: 'ok',
  failed: 'bad',
}

export function RefundTag({ state }: { readonly state: Refund['state'] }) {
  return <Tag tone={REFUND_TONES[state]}>{words.refundStates[state]}</Tag>
}

const DISPUTE_TONES: Readonly<Record<Dispute['state'], Tone>> = {
  inquiry: 'warn',
  open: 'warn',
  won: 'ok',
  lost: 'bad',
}

export function DisputeTag({ state }: { readonly state: Dispute['state'] }) {
  return <Tag tone={DISPUTE_TONES[state]}>{words.disputeStates[state]}</Tag>
}
