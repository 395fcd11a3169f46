import type { Balance } from '../../contract/management/billing.ts'
import { balanceOf } from '../../store/ledger/double-entry.ts'
import { FORECAST_DAYS, type RecentUsage } from '../../store/ledger/recent-usage.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import { DAY_MS } from '../../lib/time.ts'
import { creditUsed, organizationFunds } from '../../tenancy/funds.ts'
import type { Environment } from '../use-case/environment.ts'
import { planOf } from '../use-case/plan-of.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { readHeld } from './read-held.ts'

/** The balance and what it will be, given what was used lately. */
export async function readBalance(
  environment: Environment,
  organization: OrganizationRow,
  recent: RecentUsage,
  nowMs: number,
): Promise<Balance> {
  const { settings, database } = environment
  const [posted, held] = await Promise.all([
    balanceOf(database, organization.id),
    readHeld(environment, organization.id),
  ])
  const money = (micro: number) => viewMoney(micro, settings.currency)
  const billing = planOf(settings, organization)?.billing ?? null
  // Running requests and those that are not posted yet count, as they do for the next request.
  const spent = Math.max(posted.spent, held?.spent ?? 0)
  const { credit_limit: creditLimit } = organization
  const funds = organizationFunds(billing ?? 'none', { ...posted, creditLimit })
  const isLimited = funds.billing === 'prepaid' || funds.billing === 'credit'
  const left = held === null || !isLimited ? null : funds.granted - spent - held.reserved
  const credit = funds.billing === 'credit' ? creditLimit : null
  return {
    billing,
    billing_state: organization.billing_state,
    granted: money(posted.granted),
    spent: money(posted.spent),
    balance: money(posted.balance),
    reserved: held === null ? null : money(held.reserved),
    available: left === null ? null : money(left),
    credit_limit: credit === null ? null : money(credit),
    credit_used: credit === null ? null : money(creditUsed(posted, spent)),
    spent_this_month: money(recent.month.cost),
    forecast: { month: money(forecastMonth(recent, nowMs)), from_days: FORECAST_DAYS },
    funding_help: settings.console.funding_help ?? null,
  }
}

/** What the month will cost if the rest of it is like the last whole days. */
function forecastMonth({ month, costOfForecastDays }: RecentUsage, nowMs: number): number {
  const now = new Date(nowMs)
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
  const daysLeft = (endMs - nowMs) / DAY_MS
  return month.cost + Math.round((costOfForecastDays / FORECAST_DAYS) * daysLeft)
}
