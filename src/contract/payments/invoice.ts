import { Type, type Static } from 'typebox'
import { ID_PAGE_QUERY } from '../management/operator-account.ts'
import { Id, Money, name, nullable, Time } from '../management/schemas.ts'

/** Where a statement is. Only `closed` has no invoice. */
export const STATEMENT_STATES = [
  'closed',
  'issued',
  'paid',
  'overdue',
  'void',
  'written_off',
] as const
export type StatementState = (typeof STATEMENT_STATES)[number]

const moneyOrNull = (description: string) => Type.Union([Money, Type.Null()], { description })

/** What is asked for with a statement. Null in all of them: nothing is. */
export const AMOUNT_DUE = {
  amount_due: moneyOrNull('Without tax.'),
  tax: moneyOrNull('Null until the invoice is issued.'),
  total: moneyOrNull('With tax; null until the invoice is issued.'),
  due_at: nullable(Type.Unsafe<string>({ ...Time, description: 'When it is due.' })),
} as const

/** The invoice of a postpaid organization, as operators see it. */
export const OperatorInvoice = Type.Object(
  {
    id: Type.Unsafe<string>({ ...Id, description: 'That of its payment.' }),
    organization_id: Id,
    organization_slug: Type.String(),
    organization_name: Type.String(),
    month: Type.String({ description: 'The UTC month, as 2026-10.' }),
    state: Type.Enum(STATEMENT_STATES.filter((state) => state !== 'closed')),
    ...AMOUNT_DUE,
    decided: nullable(
      Type.Enum(['paid', 'void', 'written_off'], {
        description: 'What an operator has decided, and a console process passes on now.',
      }),
    ),
    failure: nullable(
      Type.String({ description: "The provider's word for why it cannot be issued or paid." }),
    ),
    created_at: Time,
  },
  { $id: 'OperatorInvoice' },
)
export type OperatorInvoice = Static<typeof OperatorInvoice>

export const OperatorInvoicesQuery = Type.Object(ID_PAGE_QUERY, { additionalProperties: false })
export type OperatorInvoicesQuery = Static<typeof OperatorInvoicesQuery>

export const InvoiceDecision = Type.Object(
  { reason: name(200, 'Why, for the audit log.') },
  { $id: 'InvoiceDecision', additionalProperties: false },
)
export type InvoiceDecision = Static<typeof InvoiceDecision>
