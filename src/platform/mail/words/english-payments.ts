import { withoutQuotes, type PaymentAlert, type PaymentEmails } from '../emails.ts'

const ALERTS: Readonly<Record<PaymentAlert, readonly [subject: string, text: string]>> = {
  attention: [
    'A payment needs your decision',
    'What the payment provider reports about a payment differs from what was asked for. Nothing ' +
      'was credited. The audit log has both under payment.attention.',
  ],
  uncredited: [
    'A payment was not credited',
    'The payment provider reported a payment as paid ten minutes ago, but it is not in the ' +
      'ledger. Look for "payment not read" in the log of the console processes.',
  ],
  poll: [
    'The list of payment events is not being read',
    "The payment provider's list of events has not been read for an hour. Events that no webhook " +
      'reports go unnoticed.',
  ],
  webhook: [
    'The payment webhook seems to be broken',
    'In the last hour, more than five events were in the list of the payment provider, but no ' +
      'webhook had reported them. Payments are still credited, but later.',
  ],
  forged: [
    'Webhooks without a valid signature',
    'In the last hour, more than ten webhooks had no valid signature. None had an effect. If the ' +
      "provider's own deliveries fail too, the signing secret or the clock is wrong.",
  ],
  declines: [
    'Many declined cards',
    'Ten cards of one organization were declined within a day. Somebody may be trying stolen ' +
      'cards. The organization cannot start a payment for a day.',
  ],
  warning: [
    'A bank suspects fraud',
    'A bank told the payment provider that the cardholder may not have made this payment. ' +
      'If the organization has automatic top-up, it is paused. A refund now can prevent a dispute.',
  ],
  dispute: [
    'A payment is disputed',
    "A bank questions this payment. Answer it in the payment provider's dashboard before the " +
      'deadline there: without evidence a dispute is lost. If the organization has automatic ' +
      'top-up, it is paused.',
  ],
  stopped: [
    'An unpaid invoice stops an organization',
    'Its invoice is long overdue, and reminders did not help. Its requests are refused until it ' +
      'pays, or until you decide about the invoice in the console:',
  ],
  difference: [
    'The books of the payment provider differ',
    'A movement of money at the payment provider has no entry in the ledger, or the other way ' +
      'round. The ledger page of the console lists the days that differ, and what to do.',
  ],
}

export const englishPayments: PaymentEmails = {
  payment_paid: (message) => ({
    subject: `Payment received: ${message.amount}`,
    paragraphs: [
      `${message.amount} was added to the balance of "${withoutQuotes(message.name)}".`,
      `The balance is now ${message.balance}. Invoices and receipts are in the console:`,
      message.link,
    ],
  }),
  payment_refunded: ({ name, amount, net, balance, link }) => ({
    subject: `Refund: ${amount}`,
    paragraphs: [
      `${amount} of a payment of "${withoutQuotes(name)}" was refunded. It can take a few days ` +
        'until your bank shows it.',
      `The balance is lower by ${net} and is now ${balance}. Payments are in the console:`,
      link,
    ],
  }),
  credit_expires: (message) => ({
    subject: `${message.amount} expires soon`,
    paragraphs: [
      `${message.amount} of the balance of "${withoutQuotes(message.name)}" expires on ` +
        `${message.until} unless it is used before then.`,
      'The console shows what expires and when:',
      message.link,
    ],
  }),
  invoice_issued: ({ name, month, amount, due, link }) => ({
    subject: `Invoice for ${month}: ${amount}`,
    paragraphs: [
      `The invoice of "${withoutQuotes(name)}" for ${month} is for ${amount} and due on ${due}.`,
      'View and pay it on this page:',
      link,
    ],
  }),
  invoice_overdue: ({ name, month, amount, due, stops, link }) => ({
    subject: `Overdue: invoice for ${month}, ${amount}`,
    paragraphs: [
      `The invoice of "${withoutQuotes(name)}" for ${month} was due on ${due}, and ${amount} is ` +
        'still unpaid.',
      `If it stays unpaid, requests are refused from ${stops} on. Pay it on this page:`,
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
  payment_alert: ({ alert, about, amount, link }) => ({
    subject: ALERTS[alert][0],
    paragraphs: [
      ALERTS[alert][1],
      ...(about === '' ? [] : [`"${withoutQuotes(about)}"`]),
      ...(amount === '' ? [] : [amount]),
      link,
    ],
  }),
}
