import type { ErrorResponse } from '../api/routes.ts'

export const errors = {
  unreachable: 'The console could not be reached.',
  answered: (status: number) => `The server answered with ${status}.`,
} as const

/** What an answer with this code means. */
export type ErrorWords = Readonly<Record<NonNullable<ErrorResponse['error']['code']>, string>>

/** About one field; the form shows it below the field, or names the field before it. */
export type FieldWords = {
  readonly required: string
  readonly empty: string
  readonly form: string
  readonly charactersMost: (most: string) => string
  readonly charactersLeast: (least: string) => string
  readonly itemsMost: (most: string) => string
  readonly most: (most: string) => string
  readonly least: (least: string) => string
  readonly oneOf: (known: string) => string
  readonly email: string
  readonly amount: string
  readonly other: string
}

// The sentences of the API are English and say more, so the English console shows those.
export const byCode: ErrorWords | null = null
export const fields: FieldWords | null = null
