import type { Attempt } from './provider.ts'

/** An invoice that its customer is asked to pay. */
export type NewInvoice = Attempt & {
  /** Who gets it. The provider wants to know that of an invoice; null if nobody can be told. */
  readonly email: string | null
  readonly description: string
  /** From when it is finalized. */
  readonly daysUntilDue: number
}
