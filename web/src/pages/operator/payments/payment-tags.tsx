import type { Dispute, OperatorPayment, Refund } from '../../../api/routes.ts'
import { Tag, type Tone } from '../../../parts/tag.tsx'
import { transfers } from '../../../words/billing.ts'
import { operatorPayments as words } from '../../../words/operator-payments.ts'

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

/** Where a payment is, and whether it is an invoice, which only an operator ends unpaid. */
export function PaymentTag({ payment: { kind, state } }: { readonly payment: OperatorPayment }) {
  if (kind !== 'invoice') return <Tag tone={PAYMENT_TONES[state]}>{words.states[state]}</Tag>
  const isWrittenOff = state === 'failed'
  return (
    <>
      <Tag tone={isWrittenOff ? 'line' : PAYMENT_TONES[state]}>{invoiceState(state)}</Tag>{' '}
      <span className="ink-3">{transfers.kinds.invoice}</span>
    </>
  )
}

function invoiceState(state: OperatorPayment['state']): string {
  if (state === 'expired') return words.invoiceStates.void
  if (state === 'failed') return words.invoiceStates.written_off
  return state === 'open' ? words.invoiceStates.issued : words.states[state]
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
