import { ApiError } from '../../../contract/error.ts'
import type {
  OperatorPaymentDetail,
  PaymentResolution,
} from '../../../contract/payments/operator-payment.ts'
import { ProviderError } from '../../../payments/provider-error.ts'
import type { PaymentFacts } from '../../../payments/provider.ts'
import { changePayment, findPayment, lockPayment } from '../../../store/payments/payments.ts'
import type { PaymentRow } from '../../../store/postgres/payment-tables.ts'
import type { RaisedVersion } from '../../../store/tenants/versions.ts'
import { findAnyPayment } from '../../payments/find-own.ts'
import { postInvoiceEntries } from '../../payments/invoices/post-entries.ts'
import { isReceived } from '../../payments/judge-payment.ts'
import { creditPayment } from '../../payments/observe.ts'
import { providerOf } from '../../payments/provider-of.ts'
import { carryOutRefund, holdRefund } from '../../payments/returned-money/request-refund.ts'
import type { Environment } from '../../use-case/environment.ts'
import { defineChange, defineFlow, labelOf } from '../../use-case/use-case.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { readDetail } from './show-payment.ts'

type Input = PaymentResolution & { readonly payment: string }

/** Ends a payment that waits for an operator because the provider's facts contradict ours. */
export const resolvePayment = defineFlow(
  { action: 'payment.decide', permission: 'platform:write', confirmed: true },
  async ({ environment, access }, input: Input): Promise<OperatorPaymentDetail> => {
    const { database } = environment
    const waiting = await findAnyPayment(database, input.payment)
    const received = input.how === 'outside' ? null : await readReceived(environment, waiting)
    // The provider gives back only what it has received.
    if (input.how === 'refund' && received?.moneyRef === null) throw notRefundable()
    const refundId = await decide(environment, access.actor, { ...input, received })
    if (refundId !== null) await carryOutRefund(environment, refundId)
    return readDetail(environment, (await findPayment(database, waiting.id))!)
  },
)

/** What the provider holds of it now, if that may be credited at all. */
async function readReceived(
  environment: Environment,
  { kind, ref, differences }: PaymentRow,
): Promise<PaymentFacts> {
  // What an invoice asks for is in the ledger: another amount would not settle it.
  const creditable = kind === 'invoice' ? ['customer'] : CREDITABLE
  const others = Object.keys(differences ?? {}).filter((field) => !creditable.includes(field))
  if (ref === null || others.length > 0) throw notOurs(others)
  try {
    const { provider } = await providerOf(environment)
    const facts = await provider.read(ref)
    if (facts.state !== 'paid' || facts.net + facts.tax !== facts.total) throw notOurs(['state'])
    if (!isReceived(kind, facts)) throw notOurs(['received'])
    return facts
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    throw new ApiError('service_unavailable', 'The payment provider did not answer. Try again.', {
      cause: error,
      headers: { 'retry-after': '5' },
    })
  }
}

/** Money of another payment, currency or mode is none of this ledger's. */
const CREDITABLE: readonly string[] = ['amount', 'customer']

function notOurs(fields: readonly string[]): ApiError {
  const message =
    `What was received cannot be added (${fields.join(', ')}). Settle it at the provider, then ` +
    'note it as settled outside.'
  return new ApiError('conflict', message)
}

function notRefundable(): ApiError {
  const message =
    'This payment was not made through the payment provider, so it cannot be refunded there. ' +
    'Credit it, or return the money yourself and note it as settled outside.'
  return new ApiError('conflict', message)
}

type Decision = Input & { readonly received: PaymentFacts | null }

const decide = defineChange(
  { action: 'payment.resolve', permission: 'platform:write', confirmed: true },
  async ({ transaction, access }, { payment: id, how, reason, received }: Decision) => {
    const before = await lockPayment(transaction, await findAnyPayment(transaction, id))
    if (before.state !== 'attention')
      throw new ApiError('conflict', `A payment that is ${before.state} needs no decision.`)
    const row = await changePayment(transaction, before.id, {
      resolution: how,
      state: received === null ? 'failed' : 'succeeded',
      ...(received !== null && {
        amount: received.net,
        tax: received.tax,
        money_ref: received.moneyRef,
        invoice_ref: received.invoiceRef,
        failure: null,
        ...(before.kind === 'invoice' && { issued_at: before.issued_at ?? new Date() }),
      }),
    })
    const raised: RaisedVersion[] = []
    // Settled outside, an invoice that was issued is written off here.
    if (row.kind === 'invoice')
      raised.push(
        ...(await postInvoiceEntries(transaction, before, row, received?.outside ?? false)),
      )
    else if (received !== null) raised.push(...(await creditPayment(transaction, row)))
    let refundId: string | null = null
    if (how === 'refund') {
      const wanted = {
        amount: row.amount + (row.tax ?? 0),
        by: labelOf(access.actor).label,
        reason,
      }
      const held = await holdRefund(transaction, row, wanted)
      refundId = held.refund.id
      raised.push(...held.raised)
    }
    return {
      value: refundId,
      target: { kind: 'payment', id: row.id },
      changes: {
        state: [before.state, row.state],
        resolution: [null, how],
        reason: [null, reason],
        amount: [viewMoney(before.amount, row.currency), viewMoney(row.amount, row.currency)],
      },
      organizationId: row.organization_id,
      raised: raised.slice(-1),
    }
  },
)
