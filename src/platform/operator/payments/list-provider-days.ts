import { ApiError } from '../../../contract/error.ts'
import type { ProviderDay, ProviderDaysQuery } from '../../../contract/payments/provider-day.ts'
import {
  listProviderDays as list,
  type ProviderDayRow,
} from '../../../store/payments/books/list-provider-days.ts'
import { dayOf } from '../../../store/postgres/partitions.ts'
import { LIMIT_DEFAULT } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewMoney } from '../../use-case/view-money.ts'

/** Comparisons of the payment provider's books with the ledger, newest day first. */
export const listProviderDays = defineRead(
  { action: 'provider_day.list', permission: 'platform:read' },
  async ({ environment, database }, { limit = LIMIT_DEFAULT, after }: ProviderDaysQuery) => {
    checkDay(after)
    const rows = await list(database, { limit: limit + 1, after })
    const shown = rows.slice(0, limit)
    const { currency } = environment.settings
    const next = rows.length > limit ? (shown.at(-1)?.day ?? null) : null
    return { data: shown.map((row) => viewDay(row, currency)), next }
  },
)

function checkDay(day: string | undefined): void {
  if (day === undefined) return
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN
  // There is no 31 February, but one is parsed as a day of March.
  if (!Number.isNaN(time) && dayOf(time) === day) return
  throw new ApiError('invalid_value', "'after' must be the `next` of a page.", { param: 'after' })
}

function viewDay(row: ProviderDayRow, currency: string): ProviderDay {
  const sides = (theirs: number, ours: number) => ({
    theirs: viewMoney(theirs, currency),
    ours: viewMoney(ours, currency),
  })
  return {
    day: row.day,
    charges: sides(row.their_charges, row.our_charges),
    refunds: sides(row.their_refunds, row.our_refunds),
    disputes: sides(row.their_disputes, row.our_disputes),
    fees: sides(row.their_fees, row.our_fees),
    other_fees: Object.entries(row.other_fees).map(([other, fee]) => viewMoney(fee, other)),
    without_entry: row.without_entry,
    without_movement: row.without_line,
    awaited: row.awaited,
    ignored: row.ignored,
    items: row.items.map((item) => ({
      about: item.about,
      ref: item.ref,
      payment_id: item.paymentId,
      amount: viewMoney(item.amount, item.currency),
      missing: item.missing === 'line' ? 'movement' : 'entry',
    })),
    compared_at: row.compared_at.toISOString(),
  }
}
