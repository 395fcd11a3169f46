import { withoutQuotes, type PaymentAlert, type PaymentLetters } from '../emails.ts'

const ALERTS: Readonly<Record<PaymentAlert, readonly [subject: string, text: string]>> = {
  attention: [
    'A payment needs your decision',
    'What the payment provider says of a payment contradicts what was asked for. Nothing was ' +
      'credited. The audit log names both under payment.attention.',
  ],
  uncredited: [
    'A payment was not credited',
    'The provider called a payment paid ten minutes ago, and it is not in the ledger. Look for ' +
      '"payment not read" in the log of the consoles.',
  ],
  poll: [
    'The list of payment events is not read',
    "For an hour nobody has read the payment provider's list of events. What no webhook tells is " +
      'not noticed.',
  ],
  webhook: [
    'The webhook of payments seems broken',
    'More than five events of the last hour were found in the list of the payment provider, and ' +
      'no webhook had told them. Payments are credited, but later.',
  ],
  forged: [
    'Webhooks without a valid signature',
    'More than ten webhooks of the last hour had no valid signature. None had an effect. If the ' +
      'deliveries of the provider fail too, the signing secret or the clock is wrong.',
  ],
  declines: [
    'Many declined cards',
    'Ten cards were declined in a day for one organization. Somebody may try stolen cards. It ' +
      'can start no payment for a day.',
  ],
  warning: [
    'A bank suspects fraud',
    'A bank told the payment provider that the owner of a card may not have made this payment. ' +
      'If the organization has automatic top-up, it is paused. A refund now can prevent a dispute.',
  ],
  difference: [
    'The books of the payment provider differ',
    'A movement of money at the payment provider has no entry in the ledger, or the other way ' +
      'round. The ledger page of the console lists the days that differ, and what to do.',
  ],
}

export const englishPayments: PaymentLetters = {
  payment_paid: (message) => ({
    subject: `Payment received: ${message.amount}`,
    paragraphs: [
      `${message.amount} was added to the balance of "${withoutQuotes(message.name)}".`,
      `The balance is now ${message.balance}. Invoices and receipts are in the console:`,
      message.link,
    ],
  }),
  credit_expires: (message) => ({
    subject: `${message.amount} expires soon`,
    paragraphs: [
      `Of the balance of "${withoutQuotes(message.name)}", ${message.amount} expires on ` +
        `${message.until}, unless it is used until then.`,
      'What expires and when is in the console:',
      message.link,
    ],
  }),
  invoice_issued: ({ name, month, amount, due, link }) => ({
    subject: `Invoice for ${month}: ${amount}`,
    paragraphs: [
      `The invoice of "${withoutQuotes(name)}" for ${month} is ${amount}. It is due on ${due}.`,
      'You can see and pay it on this page:',
      link,
    ],
  }),
  invoice_overdue: ({ name, month, amount, due, stops, link }) => ({
    subject: `Overdue: invoice for ${month}, ${amount}`,
    paragraphs: [
      `The invoice of "${withoutQuotes(name)}" for ${month} was due on ${due}, and ${amount} was ` +
        'not paid.',
      `If it is not paid, requests are refused from ${stops} on. You can pay it on this page:`,
      link,
    ],
  }),
  invoice_paid: ({ name, month, amount, link }) => ({
    subject: `Invoice for ${month} paid: ${amount}`,
    paragraphs: [
      `${amount} was received for the invoice of "${withoutQuotes(name)}" for ${month}.`,
      'Invoices and statements are in the console:',
      link,
    ],
  }),
  payment_alert: ({ alert, about, link }) => ({
    subject: ALERTS[alert][0],
    paragraphs: [ALERTS[alert][1], ...(about === '' ? [] : [`"${withoutQuotes(about)}"`]), link],
  }),
}
