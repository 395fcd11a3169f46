export const topUp = {
  card: 'Automatic top-up',
  meta: 'charges the saved card when the balance is low',
  noCard: 'Add money once and save the card. Then it can be charged whenever the balance is low.',
  off: 'The saved card is charged only when somebody pays with it.',
  ownersOnly: 'Only owners can turn it on.',
  turnOn: 'Turn on',
  change: 'Change',
  turnOff: 'Turn off',
  resume: 'Resume',
  below: 'When the balance is below',
  adds: 'The card is charged',
  addsText: (most: string) => `or a multiple of it, up to ${most}`,
  month: 'This month, with tax',
  ofMonth: (most: string) => `of at most ${most}`,
  monthMeter: 'Charged this month',
  bounds: {
    day: (times: number) =>
      `The card was charged ${times} times today (UTC), the most for a day. It continues tomorrow.`,
    month: 'The next charge would exceed this month’s maximum. It continues next month.',
  },
  waits: (time: string) => `The card could not be charged. It is tried again after ${time}.`,
  paused: {
    declined: 'The bank declined the card.',
    declined_often: 'The bank declined the card three times in a row.',
    confirmation: 'The bank wants the cardholder to confirm a charge.',
    refused: 'The card can no longer be charged.',
    cancelled: 'A charge was cancelled.',
    provider_balance:
      'Your customer account at the payment provider has a balance, so the amount would differ.',
    dispute: 'A payment was disputed with the bank.',
    refunded: 'A refund has taken the balance below the amount at which the card is charged.',
    warning: 'The card’s bank suspects fraud.',
  },
  pausedText: 'Nothing is charged until an owner resumes it.',
  resumed: 'Automatic top-up was resumed.',
  turnOnTitle: 'Turn on automatic top-up',
  changeTitle: 'Change automatic top-up',
  threshold: 'When the balance is below',
  amount: 'Charge the card',
  monthMax: 'Maximum per month, with tax',
  monthHint: 'Per calendar month (UTC).',
  consent: (times: number) =>
    'I agree that the saved card is charged without asking again whenever the balance is below: ' +
    'by this amount or a multiple of it that reaches the balance, ' +
    `at most ${times} times a day (UTC), and never beyond the maximum of a month. ` +
    'I agree for the organization: it goes on when I leave, until an owner turns it off.',
  save: 'Save',
  saved: 'Automatic top-up is on.',
  turnOffTitle: 'Turn off automatic top-up?',
  turnOffText:
    'The card is not charged any more. Requests are refused once the balance is used up.',
  turnedOff: 'Automatic top-up is off.',
} as const
