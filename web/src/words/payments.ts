// What is paid by card; pages show it only where the service has payments.

export const addMoney = {
  text: 'You pay on our payment provider’s page. Only the provider sees your card.',
  suggested: 'Suggested amounts',
  amount: 'Amount',
  bounds: (least: string, most: string) => `From ${least} to ${most}.`,
  wrongAmount: (least: string, most: string, step: string) =>
    `Enter an amount from ${least} to ${most}, in steps of ${step}.`,
  saveCard: 'Save this card for automatic top-up',
  tax:
    'Tax is added on the payment page and depends on your address. The amount above goes to ' +
    'the balance.',
  noTax: 'You pay exactly this amount; no tax is added.',
  allCovers: (balance: string, amount: string, owed: string) =>
    `Your balance is ${balance}: all ${amount} cover what is owed. ` +
    `Requests go on after more than ${owed}.`,
  partCovers: (balance: string, owed: string) =>
    `Your balance is ${balance}: ${owed} of this payment covers what is owed.`,
  submit: (amount: string) => `Pay ${amount}`,
  submitBare: 'Pay',
  strangePage:
    'The payment page has an address that is not in the settings of this service, so it was not ' +
    'opened. Nothing was charged. Tell the operator.',
  otherWays: 'Other ways to add money',
} as const

export const followed = {
  asking: 'Checking your payment.',
  waiting: (amount: string) => `Waiting for your payment of ${amount}.`,
  processing: (amount: string) => `Your bank is processing the payment of ${amount}.`,
  late: 'This is taking longer than usual. We keep checking, so you can leave this page.',
  added: (amount: string) => `${amount} was added to the balance.`,
  tax: (tax: string) => `You also paid ${tax} in tax.`,
  notPaid: (amount: string) => `The payment of ${amount} was not finished. You were not charged.`,
  declined: (amount: string) =>
    `The card was declined for the payment of ${amount}. You were not charged.`,
  expired: (amount: string) =>
    `The payment of ${amount} expired or was cancelled. You were not charged.`,
  attention: (amount: string) =>
    `The operator has to review the payment of ${amount} before it is added. Do not pay again.`,
  unknown: 'Payment',
  goOn: 'Continue payment',
  anotherCard: 'Try another card',
  cancel: 'Cancel payment',
  again: 'Start again',
} as const

export const payments = {
  card: 'Payments',
  all: 'All payments',
  none: 'No payments yet.',
  columns: {
    when: 'Time',
    state: 'State',
    amount: 'Amount',
    tax: 'Tax',
    actions: 'Receipt and actions',
  },
  states: {
    created: 'Being prepared',
    open: 'Not paid yet',
    processing: 'Processing',
    needs_customer: 'Needs confirmation',
    succeeded: 'Paid',
    failed: 'Declined',
    expired: 'Not paid',
    attention: 'Under review',
  },
  invoiceOf: (month: string) => `Invoice for ${month}`,
  declinedOnce: 'Card declined',
  receipt: 'Receipt',
  receiptOf: (time: string) => `Receipt of ${time}`,
  goOn: 'Continue',
  cancel: 'Cancel',
  cancelled: 'The payment was cancelled. You were not charged.',
  paidMeanwhile: (amount: string) => `It was paid at the same moment: ${amount} was added.`,
} as const

export const paymentDetails = {
  card: 'Card and billing details',
  number: (brand: string, lastFour: string) => `${brand} ending in ${lastFour}`,
  expires: (month: string) => `Expires ${month}`,
  expired: (month: string) => `Expired ${month}`,
  none: 'No card is saved.',
  noneText:
    'A card is saved only if you choose that when you pay. One that you add on the payment ' +
    'provider’s page is not charged.',
  charged:
    'Automatic top-up uses this card and no other. To charge another one, pay once with it and ' +
    'save it: a card that you add on the payment provider’s page is not charged.',
  open: 'Change details',
  openText: 'Card, address, tax id and invoices are on the payment provider’s page.',
} as const
