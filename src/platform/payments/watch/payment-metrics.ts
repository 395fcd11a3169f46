import {
  PAYMENT_KINDS,
  PAYMENT_STATES,
  type PaymentKind,
  type PaymentState,
} from '../../../contract/payments/payment-states.ts'
import type { Counter, Labels, Meter } from '../../../lib/meter.ts'
import { HOUR_MS } from '../../../lib/time.ts'
import type { PaymentSums } from '../../../store/payments/payment-sums.ts'

/** `return`: the customer came back, and the page asked for a reading. */
export type HintSource = 'webhook' | 'poll' | 'return'
/** `repeated`: it told nothing that was not known. */
export type HintResult = 'new' | 'repeated' | 'forged'

const HINTS: readonly (readonly [HintSource, readonly HintResult[]])[] = [
  ['webhook', ['new', 'repeated', 'forged']],
  ['poll', ['new', 'repeated']],
  ['return', ['new', 'repeated']],
]
/** The third is how soon a page is credited without any hint while its customer waits. */
const CREDIT_SECONDS = [1, 3, 10, 30, 75, 300, 600, 3_600, 86_400]

/** `none`: there was no answer. */
const STATUSES = ['2xx', '3xx', '4xx', '5xx', 'none']

/** Micro-units of a unit of the currency. */
const MICRO = 1_000_000

/** Times that are kept, for an alert that needs more than ten. */
const FORGED_KEPT = 20

/** What one process counts of payments, and what it last read of those of all processes. */
export type PaymentMetrics = ReturnType<typeof createPaymentMetrics>

/** Only where payments are set up: otherwise no page has any of these series. */
export function createPaymentMetrics(meter: Meter, operations: readonly string[]) {
  const moved = counterOf(meter, 'headrace_payments_total', 'Payments that came to a state.')
  const heard = counterOf(
    meter,
    'headrace_payment_hints_total',
    'Hints to read something at the provider, by who gave them.',
  )
  const requested = counterOf(
    meter,
    'headrace_provider_requests_total',
    'Requests to the payment provider, each attempt, by the class of the answer.',
  )
  for (const kind of PAYMENT_KINDS) for (const state of PAYMENT_STATES) moved({ kind, state })
  for (const [source, results] of HINTS) for (const result of results) heard({ source, result })
  for (const operation of [...operations, 'other'])
    for (const status of STATUSES) requested({ operation, status })
  const declines = meter.counter(
    'headrace_payment_declines_total',
    'Cards that a bank declined, on pages and by themselves.',
  )
  const credit = meter.histogram(
    'headrace_payment_credit_seconds',
    'From the time when the provider received the money to its transfer in the ledger.',
    CREDIT_SECONDS,
  )
  let forgedAt: readonly number[] = []
  const forgedLately = () => forgedAt.filter((atMs) => atMs > Date.now() - HOUR_MS)
  return {
    moved: (kind: PaymentKind, state: PaymentState) => moved({ kind, state }).add(1),
    heard(source: HintSource, result: HintResult) {
      heard({ source, result }).add(1)
      if (result === 'forged') forgedAt = [...forgedLately(), Date.now()].slice(-FORGED_KEPT)
    },
    /** Of the last hour; more than the bound of the alert are not told apart. */
    forgedLately: () => forgedLately().length,
    requested: (operation: string, status: string) => requested({ operation, status }).add(1),
    declined: () => declines.add(1),
    /** Unknown times are not counted. */
    credited(paidAt: Date | null) {
      if (paidAt !== null) credit.record(Math.max(0, (Date.now() - paidAt.getTime()) / 1000))
    },
    record: watchSums(meter),
  }
}

/** The gauges that are read from PostgreSQL: each process has the figures of all of them. */
function watchSums(meter: Meter): (sums: PaymentSums) => void {
  let polledAt = new Date()
  const { gauge } = meter
  const pending = gauge('headrace_payments_pending', 'Payments that are not over.')
  const oldest = gauge('headrace_payment_oldest_seconds', 'Age of the oldest that is not over.')
  const attention = gauge('headrace_payments_attention', 'Payments that an operator must decide.')
  const uncredited = gauge(
    'headrace_payments_uncredited',
    'Payments that the provider called paid ten minutes ago and that are not in the ledger.',
  )
  const disputes = gauge(
    'headrace_payment_disputes_new',
    'Payments that banks have begun to dispute or ask about in the last day.',
  )
  const topUpsPaused = gauge(
    'headrace_payments_top_ups_paused',
    'Automatic top-ups that do nothing until an owner resumes them.',
  )
  const difference = gauge(
    'headrace_payments_provider_difference',
    "Between the provider's books and the ledger, in units of the currency, signs ignored.",
  )
  meter.watch(
    'headrace_provider_poll_age_seconds',
    "Time since a process last read the provider's list of events to its end.",
    () => Math.max(0, (Date.now() - polledAt.getTime()) / 1000),
  )
  return (sums) => {
    pending.record(sums.pending)
    oldest.record(sums.oldestSeconds)
    attention.record(sums.attention)
    uncredited.record(sums.uncredited)
    disputes.record(sums.disputes)
    topUpsPaused.record(sums.topUpsPaused)
    difference.record(sums.difference / MICRO)
    polledAt = sums.polledAt ?? polledAt
  }
}

function counterOf(meter: Meter, name: string, description: string): (labels: Labels) => Counter {
  return (labels) => meter.counter(name, description, labels)
}
