import { withoutQuotes, type TopUpWords } from '../../emails.ts'

const REASONS: Readonly<Record<string, string>> = {
  declined: 'The bank has declined the saved card, and trying it again would not help.',
  declined_often: 'The bank has declined the saved card three times in a row.',
  refused: 'The saved card can no longer be charged.',
  cancelled: 'A charge of it was cancelled.',
  dispute: 'Somebody has disputed a payment of the organization at their bank.',
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
        `The bank wants the owner of the card to confirm the automatic top-up of ` +
          `"${withoutQuotes(organization)}" by ${amount}. Nothing was charged yet. The owners of ` +
          'the organization have the link for it, which can be used for 23 hours.',
        'Automatic top-up is paused until an owner resumes it on the billing page:',
        link,
      ],
    }),
    top_up_failed: ({ organization, amount, failure, link }) => ({
      subject: 'An automatic top-up failed',
      paragraphs: [
        `The card of "${withoutQuotes(organization)}" was declined for ${amount} (${failure}). ` +
          'Nothing was charged. It is tried again in an hour or more.',
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
            'is allowed. It goes on tomorrow.'
          : `The next automatic top-up of "${withoutQuotes(organization)}" would exceed ` +
            `${month}, which you set for a month (UTC). It goes on in the next month, or when ` +
            'you raise it.',
        'Requests are refused when the balance is used up. You can add money now:',
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
  },
  buttons: { top_up_confirm: 'Look at the payment' },
}
