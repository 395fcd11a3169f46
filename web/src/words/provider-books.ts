const readAgain =
  'Stripe was asked again. Look for “refund or dispute not read” in the console processes’ log.'
const lookThere =
  'Look for it in Stripe’s dashboard. If it never existed, correct the balance by an adjustment.'

export const providerBooks = {
  title: 'Stripe’s books',
  caption: 'Each day in Stripe’s books and in the ledger, newest first',
  none: 'No day compared yet.',
  noneText: 'Each day is compared two days after its end, beginning with the first payment.',
  theirs: (day: string) => `In Stripe’s books until ${day}`,
  ours: 'The same in the ledger',
  notCompared: 'In the ledger, not compared yet',
  day: 'Day (UTC)',
  sides: { charges: 'Charges', refunds: 'Refunds', disputes: 'Disputes', fees: 'Fees' },
  inStripe: (amount: string) => `Stripe ${amount}`,
  inLedger: (amount: string) => `Ledger ${amount}`,
  notPosted: (amount: string) => `and ${amount}, not posted`,
  result: 'Result',
  equal: 'Equal',
  differs: 'Differs',
  waits: 'Waiting for Stripe',
  missing: {
    entry: {
      payment: 'Charge without an entry in the ledger:',
      refund: 'Refund without an entry in the ledger:',
      dispute: 'Dispute without an entry in the ledger:',
    },
    movement: {
      payment: 'Payment in the ledger, not at Stripe:',
      refund: 'Refund in the ledger, not at Stripe:',
      dispute: 'Dispute in the ledger, not at Stripe:',
    },
  },
  todo: {
    entry: {
      payment:
        'Stripe was asked again. If it still differs, open the payment and check it. If there is ' +
        'no such payment, a restore has lost it: run “headrace recover payments”.',
      refund: readAgain,
      dispute: readAgain,
    },
    movement: { payment: lookThere, refund: lookThere, dispute: lookThere },
  },
} as const
