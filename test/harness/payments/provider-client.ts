import type { BookSums, Order } from './control.ts'
import type { StripeEvent, StripeObject } from './journal.ts'

export type ProviderControl = ReturnType<typeof controlOf>

/** Drives a scripted provider, in this process or in another. */
export function controlOf(url: string) {
  const order = async <Answer>(name: string, content: Order = {}): Promise<Answer> => {
    const response = await fetch(`${url}/scripted/${name}`, {
      method: 'POST',
      body: JSON.stringify(content),
    })
    if (!response.ok) throw new Error(`${name}: ${response.status}`)
    return (await response.json()) as Answer
  }
  return {
    url,
    /** A customer pays on the page, or a card is declined there. */
    complete: async (id: string, outcome: Order['outcome'] = 'ok') =>
      order<StripeObject>('complete', { id, outcome }),
    /** Somebody decides about an invoice in the provider's dashboard. */
    invoice: async (id: string, does: NonNullable<Order['does']>) =>
      order<StripeObject>('invoice', { id, does }),
    /** What a customer owes at the provider, or has there if it is negative, in minor units. */
    balance: async (id: string, amount: number) => order<StripeObject>('balance', { id, amount }),
    /** Somebody deletes a customer in the provider's dashboard. */
    deleteCustomer: async (id: string) => order<object>('delete-customer', { id }),
    /** The owner of a card confirms a charge. Null if its invoice cannot be paid any more. */
    confirm: async (id: string) => order<StripeObject>('confirm', { id }).catch(() => null),
    /** In the provider's dashboard, so it has no id of ours. All of it without an amount. */
    refund: async (id: string, amount?: number, { pending = false } = {}) =>
      order<StripeObject>('refund', { id, pending, ...(amount !== undefined && { amount }) }),
    /** The bank is slow with refunds that are asked for from now on. */
    pendRefunds: async (pending: boolean) => order<object>('pend-refunds', { pending }),
    settleRefund: async (id: string, settled: NonNullable<Order['settled']>) =>
      order<StripeObject>('settle-refund', { id, settled }),
    dispute: async (id: string, { inquiry = false } = {}) =>
      order<StripeObject>('dispute', { id, inquiry }),
    /** A bank that has only asked takes the money. */
    escalate: async (id: string) => order<StripeObject>('escalate', { id }),
    /** A bank suspects fraud behind a charge. */
    warn: async (id: string) => order<StripeObject>('warn', { id }),
    closeDispute: async (id: string, status: NonNullable<Order['status']>) =>
      order<StripeObject>('close-dispute', { id, status }),
    /** As if all money had moved so many days earlier. */
    ageMoney: async (days: number) => order<object>('age-money', { days }),
    /** As if the account had another currency than its customers pay in. */
    settleIn: async (currency: string) => order<object>('settle-in', { currency }),
    /** Replaces the faults to come, and adds outcomes of cards to come. */
    script: async (faults: Order['faults'] = [], outcomes: Order['outcomes'] = []) =>
      order<object>('faults', { faults, outcomes }),
    events: async (from = 0) => (await order<{ events: StripeEvent[] }>('events', { from })).events,
    objects: async () => (await order<{ objects: StripeObject[] }>('objects')).objects,
    sums: async () => order<BookSums>('sums'),
  }
}
