import { Type, type Static } from 'typebox'
import { Money, NewMoney, nullable, Time } from '../management/schemas.ts'

const CONSENT_TEXT = '2026-11'

/**
 * The text that an owner agrees to, which names how often a day the card is charged at most.
 * Another text is another version, and needs a new consent.
 */
export function consentVersion(dayMax: number): string {
  return `${CONSENT_TEXT}/${dayMax}`
}

/** Why it does nothing until an owner resumes it. */
const PAUSE_REASONS = [
  /** The bank refused for good. */
  'declined',
  /** The bank refused three times in a row. */
  'declined_often',
  /** The bank wants the owner of the card to confirm. */
  'confirmation',
  /** The provider refused the charge: the card is gone, for example. */
  'refused',
  /** A charge was cancelled here or at the provider. */
  'cancelled',
  /** The customer has or owes money at the provider, which would change what is charged. */
  'provider_balance',
  'dispute',
  /** A refund has taken the balance below the threshold. */
  'refunded',
  /** The bank of the card suspects fraud. */
  'warning',
] as const
export type PauseReason = (typeof PAUSE_REASONS)[number]

const TOP_UP_BOUNDS = ['day', 'month'] as const
export type TopUpBound = (typeof TOP_UP_BOUNDS)[number]

const money = (description: string) => Type.Unsafe<Money>({ ...Money, description })
const moneyOrNull = (description: string) =>
  Type.Union([Money, Type.Null()], { description: `${description} Null if it was never on.` })

export const AutomaticTopUp = Type.Object(
  {
    state: Type.Enum(['off', 'on', 'paused'], {
      description: 'paused: it was on, and does nothing until an owner resumes it.',
    }),
    threshold: moneyOrNull('The card is charged when the balance is below it.'),
    amount: moneyOrNull('What is added, or as many times of it as reach the threshold.'),
    month_max: moneyOrNull('The most that is charged in a UTC month, with tax.'),
    month_used: money('What was charged in this UTC month, with tax.'),
    day_max: Type.Integer({ description: 'How often the card is charged in a UTC day at most.' }),
    consent_day_max: Type.Integer({ description: 'The same in the text to agree to now.' }),
    charge_max: money('The most that is added by one charge.'),
    paused: nullable(Type.Enum([...PAUSE_REASONS])),
    bound: nullable(
      Type.Enum([...TOP_UP_BOUNDS], { description: 'Which bound stops it until it ends.' }),
    ),
    next_attempt_at: nullable(
      Type.String({ format: 'date-time', description: 'After a decline: not before this time.' }),
    ),
    has_card: Type.Boolean({ description: 'A card is kept that may be charged.' }),
    consented_at: nullable(Type.Unsafe<string>({ ...Time })),
    consent_version: Type.String({ description: 'To agree to when it is turned on.' }),
  },
  { $id: 'AutomaticTopUp' },
)
export type AutomaticTopUp = Static<typeof AutomaticTopUp>

export const AutomaticTopUpChange = Type.Object(
  {
    enabled: Type.Boolean(),
    threshold: Type.Optional(NewMoney),
    amount: Type.Optional(NewMoney),
    month_max: Type.Optional(NewMoney),
    consent: Type.Optional(
      Type.String({ maxLength: 20, description: 'The version of the text that was agreed to.' }),
    ),
  },
  { additionalProperties: false },
)
export type AutomaticTopUpChange = Static<typeof AutomaticTopUpChange>
