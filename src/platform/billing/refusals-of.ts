import type { Kysely } from 'kysely'
import type { OwnOrganization } from '../../contract/management/account.ts'
import { balancesOf } from '../../store/ledger/double-entry.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { organizationFunds, type Billing } from '../../tenancy/funds.ts'
import type { BillingState } from '../../tenancy/identity.ts'
import type { Settings } from '../use-case/environment.ts'
import { modelsOf, planOf } from '../use-case/plan-of.ts'

type Billed = {
  readonly id: string
  readonly plan: string
  readonly billing_state: BillingState
  readonly suspended_reason: string | null
  readonly credit_limit: number | null
  readonly overdue_month: string | null
}

/**
 * Returns what tells of each organization why all its chat completions are refused, or null. Reads
 * the balances of all that need funds at once.
 */
export async function readRefusals(
  settings: Settings,
  database: Kysely<Tables>,
  organizations: readonly Billed[],
): Promise<(organization: Billed) => OwnOrganization['refused']> {
  const plans = [...new Set(organizations.map(({ plan }) => plan))]
  const billings = new Map(plans.map((plan) => [plan, billingOf(settings, plan)]))
  const limited = organizations.filter(({ plan, credit_limit: limit }) => {
    const billing = billings.get(plan)
    return billing === 'prepaid' || (billing === 'postpaid' && limit !== null)
  })
  const ids = limited.map(({ id }) => id)
  const balance = await balancesOf(database, ids)
  return ({ id, plan, credit_limit: creditLimit, ...organization }) => {
    const { billing_state: state, suspended_reason: reason, overdue_month: month } = organization
    if (reason !== null) return 'suspended'
    if (state !== 'ok') return state
    if (month !== null && settings.payments !== undefined) return 'overdue'
    const held = balance(id)
    const funds = organizationFunds(billings.get(plan) ?? 'none', { ...held, creditLimit })
    if (funds.granted > held.spent) return null
    if (funds.billing === 'prepaid') return 'no_balance'
    return funds.billing === 'credit' ? 'no_credit' : null
  }
}

/** How a plan is billed that has nothing free of charge; null for others. */
function billingOf(settings: Settings, name: string): Billing | null {
  const plan = planOf(settings, { plan: name })
  if (plan === undefined) return null
  const models = modelsOf(settings, plan)
  const isCharged = models.length > 0 && models.every(({ id }) => plan.prices.has(id))
  return isCharged ? plan.billing : null
}
