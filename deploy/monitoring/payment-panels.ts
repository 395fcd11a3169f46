import type { Row } from './panel.ts'

/** Empty where there are no payments. */
export const PAYMENTS: Row = {
  title: 'Payments',
  panels: [
    {
      title: 'Payments that need an operator',
      description: 'Paid and not credited, or contradicted by the provider. It is 0.',
      figure: { redFrom: 1 },
      queries: [['max(headrace_payments_attention) + max(headrace_payments_uncredited)', 'wait']],
    },
    {
      title: 'Payments per hour, by state',
      description: 'Payments that came to a state, in all console processes.',
      queries: [['sum by (state) (increase(headrace_payments_total[1h]))', '{{state}}']],
    },
    {
      title: 'Not over',
      description: 'Pages that can still be paid, and what a bank works on.',
      queries: [['max(headrace_payments_pending)', 'pending']],
    },
    {
      title: 'From paid to credited, 95th percentile',
      description: 'While the customer waits it is seconds.',
      unit: 's',
      queries: [
        [
          'histogram_quantile(0.95, ' +
            'sum by (le) (increase(headrace_payment_credit_seconds_bucket[1h])) > 0 ' +
            'or sum by (le) (headrace_payment_credit_seconds_bucket))',
          'p95',
        ],
      ],
    },
    {
      title: 'Hints per hour',
      description: 'Found by poll: no webhook told it before. Forged: without a valid signature.',
      queries: [
        [
          'sum by (source, result) (increase(headrace_payment_hints_total[1h]))',
          '{{source}} {{result}}',
        ],
      ],
    },
    {
      title: 'Declined cards per hour',
      description: 'Many of them in a short time: somebody may try stolen cards.',
      queries: [['sum(increase(headrace_payment_declines_total[1h]))', 'declined']],
    },
    {
      title: 'Requests to the provider by status',
      description: 'none: no answer.',
      unit: 'reqps',
      queries: [
        [
          'sum by (status) (rate(headrace_provider_requests_total[$__rate_interval]))',
          '{{status}}',
        ],
      ],
    },
    {
      title: "Difference to the provider's books",
      description: 'Movements without an entry in the ledger, and entries without one. It is 0.',
      figure: { redFrom: 0.000001 },
      queries: [['max(headrace_payments_provider_difference)', 'difference']],
    },
    {
      title: 'Age of the last poll',
      description: "Since the provider's list of events was read. Red: an hour.",
      unit: 's',
      figure: { redFrom: 3600 },
      queries: [['min(headrace_provider_poll_age_seconds)', 'age']],
    },
  ],
}
