import type { Kysely } from 'kysely'
import { consentVersion, type AutomaticTopUp } from '../../../contract/payments/automatic-top-up.ts'
import { findCard } from '../../../store/payments/provider-customers.ts'
import { chargedThisMonth, findTopUp } from '../../../store/payments/top-ups.ts'
import type { TopUpRow } from '../../../store/postgres/payment-tables.ts'
import type { Tables } from '../../../store/postgres/tables.ts'
import type { Settings } from '../../use-case/environment.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { settingsOf } from '../settings-of.ts'

const MICRO = 1_000_000

export async function readTopUp(
  settings: Settings,
  database: Kysely<Tables>,
  organizationId: string,
): Promise<AutomaticTopUp> {
  const { top_up_max, automatic_per_day } = settingsOf(settings)
  const now = new Date()
  const row = await findTopUp(database, organizationId)
  const used = await chargedThisMonth(database, organizationId)
  const card = await findCard(database, organizationId)
  const money = (micro: number) => viewMoney(micro, settings.currency)
  const waits = row?.not_before ?? null
  return {
    state: stateOf(row),
    threshold: row === undefined ? null : money(row.threshold),
    amount: row === undefined ? null : money(row.amount),
    month_max: row === undefined ? null : money(row.month_max),
    month_used: money(used),
    day_max: Math.min(automatic_per_day, row?.day_max ?? automatic_per_day),
    consent_day_max: automatic_per_day,
    charge_max: money(top_up_max * MICRO),
    paused: row?.paused ?? null,
    bound: row === undefined ? null : boundOf(row, now),
    next_attempt_at: waits !== null && waits > now ? waits.toISOString() : null,
    has_card: card !== null,
    consented_at: row?.consented_at.toISOString() ?? null,
    consent_version: consentVersion(automatic_per_day),
  }
}

function stateOf(row: TopUpRow | undefined): AutomaticTopUp['state'] {
  if (row === undefined || !row.enabled) return 'off'
  return row.paused === null ? 'on' : 'paused'
}

/** A bound ends with its day or month, whenever the next charge comes. */
function boundOf({ bound, bound_at: since }: TopUpRow, now: Date): TopUpRow['bound'] {
  if (bound === null || since === null) return null
  const length = bound === 'day' ? '2026-11-19'.length : '2026-11'.length
  const isOver = since.toISOString().slice(0, length) !== now.toISOString().slice(0, length)
  return isOver ? null : bound
}
