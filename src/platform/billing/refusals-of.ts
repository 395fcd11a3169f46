import type { Kysely } from 'kysely'
import type { OwnOrganization } from '../../contract/management/account.ts'
import { balancesOf } from '../../store/ledger/double-entry.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import type { BillingState } from '../../tenancy/identity.ts'
import type { Settings } from '../use-case/environment.ts'
import { modelsOf, planOf } from '../use-case/plan-of.ts'

type Billed = {
  readonly id: string
  readonly plan: string
  readonly billing_state: BillingState
  readonly suspended_reason: string | null
}

/**
 * Returns what tells of each organization why all its chat completions are refused, or null. Reads
 * the balances of all that pay in advance at once.
 */
export async function readRefusals(
  settings: Settings,
  database: Kysely<Tables>,
  organizations: readonly Billed[],
): Promise<(organization: Billed) => OwnOrganization['refused']> {
  const plans = [...new Set(organizations.map(({ plan }) => plan))]
  const paying = new Set(plans.filter((plan) => needsFunds(settings, plan)))
  const ids = organizations.flatMap(({ id, plan }) => (paying.has(plan) ? [id] : []))
  const balances = await balancesOf(database, ids)
  return ({ id, plan, billing_state: state, suspended_reason: reason }) => {
    if (reason !== null) return 'suspended'
    if (state !== 'ok') return state
    return paying.has(plan) && (balances.get(id) ?? 0) <= 0 ? 'no_balance' : null
  }
}

/** Whether a plan is paid in advance and has nothing that is free of charge. */
function needsFunds(settings: Settings, name: string): boolean {
  const plan = planOf(settings, { plan: name })
  if (plan?.billing !== 'prepaid') return false
  const models = modelsOf(settings, plan)
  return models.length > 0 && models.every(({ id }) => plan.prices.has(id))
}
