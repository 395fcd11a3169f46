import {
  joinIgnored,
  type IgnorableParameter,
} from '../../../../src/contract/ignorable-parameters.ts'
import type { Key, KeyChange } from '../../api/routes.ts'
import { readAmount } from '../../format/amount.ts'
import { endOfDay } from '../../format/day.ts'

/** What the form holds: texts as typed. */
export type Draft = {
  readonly name: string
  /** A number of days, `never`, `date`, or `same` for what is stored. */
  readonly ends: string
  /** 2027-02-13, for `date`. */
  readonly date: string
  /** Null: all of the plan. */
  readonly models: readonly string[] | null
  readonly perMinute: string
  readonly spending: string
  /** What requests may carry although nothing is done with it. */
  readonly ignored: readonly IgnorableParameter[]
}

const DAY_MS = 86_400_000
const MICRO = 1_000_000

export const DAYS_OFFERED = [7, 30, 90, 365] as const

export const NEW_DRAFT: Draft = {
  name: '',
  ends: '90',
  date: '',
  models: null,
  perMinute: '',
  spending: '',
  ignored: [],
}

export function draftOf(key: Key): Draft {
  return {
    name: key.name,
    ends: key.expires_at === null ? 'never' : 'same',
    date: '',
    models: key.models,
    perMinute: key.requests_per_minute === null ? '' : String(key.requests_per_minute),
    spending: key.spending_limit === null ? '' : String(key.spending_limit.amount_micro / MICRO),
    ignored: joinIgnored(key.ignored_parameters),
  }
}

/** When a key of this draft ends; null: never, undefined: as it is. */
export function endOf({ ends, date }: Draft, now: number): string | null | undefined {
  if (ends === 'same') return undefined
  if (ends === 'never') return null
  // The chosen day is the last one, in the zone of who chose it.
  if (ends === 'date') return date === '' ? undefined : endOfDay(date)
  return new Date(now + Number(ends) * DAY_MS).toISOString()
}

/** The draft as the API takes it. Empty fields mean no limit. */
export function bodyOf(draft: Draft, now: number): KeyChange & { readonly name: string } {
  const end = endOf(draft, now)
  return {
    name: draft.name.trim(),
    ...(end !== undefined && { expires_at: end }),
    models: draft.models,
    requests_per_minute: draft.perMinute.trim() === '' ? null : Number(draft.perMinute),
    spending_limit: draft.spending.trim() === '' ? null : { amount: readAmount(draft.spending) },
    ignored_parameters: [...draft.ignored],
  }
}

/** What the browser can tell without asking the service. */
export function mistakesIn(draft: Draft): {
  readonly models: boolean
  readonly perMinute: boolean
} {
  return {
    models: draft.models?.length === 0,
    perMinute: draft.perMinute.trim() !== '' && !/^\d{1,11}$/.test(draft.perMinute.trim()),
  }
}
