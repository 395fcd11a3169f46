import type { ListedPayment, ListedReturn } from '../provider.ts'
import * as answers from './answers.ts'
import { secondsBefore } from './find-payment.ts'
import { listAll } from './requests/list-all.ts'
import { readMetadata } from './our-metadata.ts'
import { toMicro } from './read-payment.ts'
import type { Send } from './requests/send-request.ts'

const RETURNED = { refund: '/v1/refunds', dispute: '/v1/disputes' } as const

/**
 * Pages first, then charges of saved cards. The invoice that a page leaves has the page's metadata
 * and is left out: the page tells more. What is not ours is left out as well.
 */
export async function* listPayments(send: Send, since: Date): AsyncGenerator<ListedPayment, void> {
  const form = { created: { gte: secondsBefore(since) } }
  const sessions = listAll(send, '/v1/checkout/sessions', form, answers.ListedSession)
  for await (const session of sessions) {
    const ours = readMetadata(session.metadata)
    const customer = answers.idOf(session.customer)
    if (ours?.kind !== 'page' || customer === null) continue
    yield {
      ref: session.id,
      ...ours,
      customer,
      total: toMicro(session.currency, session.amount_total ?? 0),
      card: null,
      state: stateOfSession(session.payment_status, session.status),
      createdAt: new Date(session.created * 1000),
      expiresAt: new Date(session.expires_at * 1000),
    }
  }
  for await (const invoice of listAll(send, '/v1/invoices', form, answers.ListedInvoice)) {
    const ours = readMetadata(invoice.metadata)
    const customer = answers.idOf(invoice.customer)
    if (ours === null || ours.kind === 'page' || customer === null) continue
    yield {
      ref: invoice.id,
      ...ours,
      customer,
      total: toMicro(invoice.currency, invoice.total),
      card: answers.idOf(invoice.default_payment_method),
      state: stateOfInvoice(invoice.status),
      createdAt: new Date(invoice.created * 1000),
      expiresAt: null,
    }
  }
}

export async function* listReturned(send: Send, since: Date): AsyncGenerator<ListedReturn, void> {
  const form = { created: { gte: secondsBefore(since) } }
  for (const about of ['refund', 'dispute'] as const)
    for await (const object of listAll(send, RETURNED[about], form, answers.ListedReturn))
      yield { about, ref: object.id, moneyRef: answers.idOf(object.payment_intent) }
}

function stateOfSession(payment: string, status: string | null): ListedPayment['state'] {
  if (payment !== 'unpaid') return 'paid'
  return status === 'expired' ? 'over' : 'open'
}

function stateOfInvoice(status: string | null): ListedPayment['state'] {
  if (status === 'paid') return 'paid'
  return status === 'void' || status === 'uncollectible' ? 'over' : 'open'
}
