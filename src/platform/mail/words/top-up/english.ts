import { withoutQuotes, type TopUpWords } from '../../emails.ts'

const REASONS: Readonly<Record<string, string>> = {
  declined: 'The bank has declined the saved card, and trying it again would not help.',
  declined_often: 'The bank has declined the saved card three times in a row.',
  refused: 'The saved card can no longer be charged.',
  cancelled: 'A charge was cancelled.',
  provider_balance:
    'Its customer account at the payment provider has a balance, so the amount would differ.',
  dispute: 'A payment of the organization was disputed with the bank.',
  refunded:
    'A refund has taken the balance below the amount at which the card is charged, and must not ' +
    'charge it again.',
  warning: 'The bank of the saved card suspects fraud.',
}

const WHY = 'you are an owner of an organization there'

export const topUp: TopUpWords = {
  compose: {
    top_up_confirm: ({ organization, amount, link }) => ({
      subject: `Confirm a payment of ${amount}`,
      paragraphs: [
        `The bank asks you to confirm the automatic top-up of "${withoutQuotes(organization)}" ` +
          `by ${amount}. Nothing was charged yet. The page can be used for 23 hours:`,
        link,
        'Automatic top-up is paused until an owner resumes it on the billing page.',
      ],
    }),
    top_up_unconfirmed: ({ organization, amount, link }) => ({
      subject: `A payment of ${amount} waits for a confirmation`,
      paragraphs: [
        `The bank wants the cardholder to confirm the automatic top-up of ` +
          `"${withoutQuotes(organization)}" by ${amount}. Nothing was charged yet. The owners of ` +
          'the organization have the link for it, which can be used for 23 hours.',
        'Automatic top-up is paused until an owner resumes it on the billing page:',
        link,
      ],
    }),
    top_up_failed: ({ organization, amount, failure, link }) => ({
      subject: 'An automatic top-up failed',
      paragraphs: [
        `The card of "${withoutQuotes(organization)}" could not be charged ${amount} ` +
          `(${failure}). Nothing was charged. The next attempt is in an hour or later.`,
        'To use the service meanwhile, add money or another card:',
        link,
      ],
    }),
    top_up_paused: ({ organization, reason, failure, link }) => ({
      subject: 'Automatic top-up is paused',
      paragraphs: [
        `The card of "${withoutQuotes(organization)}" is not charged automatically any more. ` +
          `${REASONS[reason] ?? ''}${failure === null ? '' : ` (${failure})`}`,
        'Requests are refused when the balance is used up. Check the card, then resume it:',
        link,
      ],
    }),
    top_up_bound: ({ organization, bound, month, link }) => ({
      subject: 'Automatic top-up has reached its limit',
      paragraphs: [
        bound === 'day'
          ? `The card of "${withoutQuotes(organization)}" was charged as often today (UTC) as ` +
            'allowed. Automatic top-up continues tomorrow.'
          : `The next automatic top-up of "${withoutQuotes(organization)}" would exceed ` +
            `${month}, the maximum you set per month (UTC). It continues next month, or when ` +
            'you raise the maximum.',
        'Requests are refused when the balance is used up. You can add money now:',
        link,
      ],
    }),
    top_up_card_expires: ({ organization, card, month, link }) => ({
      subject: 'The saved card expires soon',
      paragraphs: [
        `The saved card of "${withoutQuotes(organization)}" (${card}) expires at the end of ` +
          `${month}. Automatic top-up cannot charge it after that.`,
        'To save another card, add money with it and tick the box to keep it:',
        link,
      ],
    }),
  },
  reasons: {
    top_up_confirm: WHY,
    top_up_unconfirmed: WHY,
    top_up_failed: WHY,
    top_up_paused: WHY,
    top_up_bound: WHY,
    top_up_card_expires: WHY,
  },
  buttons: { top_up_confirm: 'View the payment' },
}
