import { counted } from './counted.ts'

export const billing = {
  title: 'Billing',
  sub: {
    prepaid: 'Prepaid: the balance pays for requests. Months and days are in UTC.',
    postpaid: 'Postpaid: usage is billed after each month. Months and days are in UTC.',
    none: 'This plan is free of charge.',
    unknown: 'The plan of this organization is no longer offered.',
  },
  states: {
    exhausted: 'The balance is used up. Requests get 402 until money is added.',
    conflict:
      'The operator is changing the billing of this organization. Requests get 409 until that is ' +
      'done.',
    askOperator: 'Ask the operator of this service.',
  },
  balance: 'Balance',
  reserved: 'Reserved now',
  reservedBy: (running: number) =>
    `by ${counted(running, { one: '# running request', other: '# running requests' })}`,
  free: 'Available',
  freeText: 'for new requests',
  creditLimit: 'Credit limit',
  creditUsed: (amount: string) => `${amount} used`,
  lasts: (days: number) =>
    days < 1
      ? 'lasts less than a day'
      : `lasts about ${counted(days, { one: '# day', other: '# days' })}`,
  lastsText: 'at the rate of the last 7 days',
  notKnown: 'Unknown right now',
  month: 'Spent this month so far',
  forecast: 'Forecast for this month',
  forecastText: (days: number) => `an estimate from the last ${days} days, not a bill`,
  postedText: 'not counting running requests',
  limits: 'Spending limits of projects',
  limitsMeta: (month: string) => `${month} (UTC)`,
  noLimits: 'No project has a spending limit.',
  toProjects: 'Go to projects',
  addMoney: 'Add money',
  addMoneyAsk: 'The operator of this service adds money.',
  suspended: 'Until that is lifted, no money can be added. Invoices can be paid.',
  exports: 'Usage as CSV',
  exportsText: 'Every request of a UTC month, with tokens and cost.',
  soFar: 'so far',
} as const

export const statements = {
  card: 'Statements',
  meta: 'UTC months that are over, by project and model',
  none: 'The first statement appears a day after the month ends.',
  month: 'Month',
  requests: 'Requests',
  tokens: 'Tokens',
  cost: 'Cost',
  download: 'Download',
  csv: 'CSV',
  state: 'Invoice',
  states: {
    closed: 'No invoice',
    issued: 'Unpaid',
    paid: 'Paid',
    overdue: 'Overdue',
    void: 'Void',
    written_off: 'Written off',
  },
  due: 'Due',
  total: 'Total',
  pay: 'Pay',
  payMonth: (month: string) => `Pay the invoice for ${month}`,
  overdueStrip: (month: string) => `The invoice for ${month} is overdue.`,
  stops: (day: string) => `If it stays unpaid, requests get 402 from ${day} on.`,
  stopped: 'Requests get 402 until it is paid.',
  strangePage: 'The page of this invoice is on an unknown host, so it was not opened.',
  downloadMonth: (month: string) => `Download the statement of ${month} as CSV`,
} as const

export const credits = {
  card: 'Credits that expire',
  meta: 'The credit that expires first is used first',
  until: 'Expires',
  remaining: 'Remaining',
  of: 'Amount',
  granted: 'Added',
} as const

export const vouchers = {
  open: 'Redeem a voucher',
  text: 'Its amount is added to the balance of this organization.',
  code: 'Code',
  hint: 'Sixteen letters and digits. Spaces and hyphens make no difference.',
  redeem: 'Redeem',
  added: (amount: string) => `${amount} was added to the balance.`,
  addedUntil: (amount: string, time: string) =>
    `${amount} was added to the balance. What is left of it expires on ${time}.`,
  repeated: (time: string) =>
    `This organization already redeemed this voucher on ${time}. Nothing was added.`,
} as const

export const transfers = {
  card: 'Balance history, without usage',
  columns: {
    when: 'Time',
    kind: 'Kind',
    amount: 'Amount',
    why: 'Reason',
    who: 'By',
    reference: 'Reference',
  },
  kinds: {
    grant: 'Grant',
    adjustment: 'Adjustment',
    payment: 'Payment',
    refund: 'Refund',
    dispute: 'Dispute',
    invoice: 'Invoice',
    expiry: 'Expiry',
    voucher: 'Voucher',
    usage: 'Usage',
  },
  none: 'Nothing but usage has changed the balance yet.',
} as const

export const alerts = {
  card: 'Spending alerts',
  meta: 'per calendar month (UTC)',
  none: 'No alerts yet.',
  noneText: 'An alert tells you by email or webhook when an amount is spent.',
  add: 'Add alert',
  organization: 'Whole organization',
  reachedAt: (time: string) => `reached ${time}`,
  test: 'Send test',
  tested: {
    delivered: 'The webhook accepted the test.',
    failed: 'The webhook did not answer with success within 5 seconds.',
  },
  testEmails: (count: number) =>
    counted(count, { one: '# email was sent.', other: '# emails were sent.' }),
  noChannel: 'Shown here only',
  webhook: 'Webhook',
  change: 'Change',
  remove: 'Remove',
  removeTitle: (scope: string) => `Remove the alert for ${scope}?`,
  removeText: 'Nobody is notified any more.',
  removed: 'The alert was removed.',
  saved: 'The alert was saved.',
  addTitle: 'Add a spending alert',
  changeTitle: (scope: string) => `Alert for ${scope}`,
  scope: 'For',
  amounts: 'Amounts per month',
  amountsHint: 'Up to ten. Press Space or Enter after each.',
  share: (amount: string) => `50, 80 and 100 % of ${amount}`,
  nobodyTold: 'Nobody is notified: without an address or a webhook the alert is only shown here.',
  webhookUrl: 'Webhook',
  webhookHint: 'An https address that receives a signed POST.',
  newSecret: 'Create a new webhook secret',
  save: 'Save alert',
  secretTitle: 'Copy the webhook secret',
  secretText: 'It proves that a call to your webhook comes from here. It can’t be shown again.',
  secret: 'Webhook secret',
  exists: 'This alert exists; saving replaces it.',
} as const

export const emails = {
  label: 'Email addresses',
  hint: 'Up to ten. Press Space or Enter after each.',
} as const

export const contacts = {
  card: 'Billing contacts',
  meta: 'Who gets emails about payments, automatic top-up and credits',
  none: 'Owners get these emails. You can enter other addresses instead.',
  change: 'Change',
  text:
    'Instead of the owners, these addresses get emails about payments, automatic top-up and ' +
    'credits that expire. If there is none, the owners get them. Only owners are asked to ' +
    'confirm a payment.',
  save: 'Save contacts',
  saved: 'The billing contacts were saved.',
} as const
