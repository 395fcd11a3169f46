import { ApiError } from '../../contract/error.ts'
import type { LiveLimits } from '../../contract/management/usage.ts'
import { balanceOf } from '../../store/ledger/double-entry.ts'
import { createPeek } from '../../store/limits/peek.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import { readMeters, type Meters } from '../../tenancy/meters.ts'
import type { Capacity, ConcurrencyLimits } from '../../tenancy/rate-limits.ts'
import { limitsInForce } from '../../tenancy/standing.ts'
import { alsoAllowed } from '../use-case/also-allowed.ts'
import type { Access } from '../use-case/authorize.ts'
import type { Environment } from '../use-case/environment.ts'
import { planOf } from '../use-case/plan-of.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { withValkey } from './with-valkey.ts'

/** The limits of an organization as the headers of a request would report them now. */
export const readLimits = defineRead(
  { action: 'limits.read', permission: 'organization:read' },
  async ({ environment, access }): Promise<LiveLimits> =>
    (await openMeters(environment, access)).read(),
)

export type OpenMeters = {
  /** One call to Valkey. */
  read(): Promise<LiveLimits>
}

/** Reads plan, limits and ledger once; what changes with every request is read each time. */
export async function openMeters(
  environment: Environment,
  access: Access<'organization:read'>,
): Promise<OpenMeters> {
  const { organization } = access
  const { database, settings } = environment
  const plan = planOf(settings, organization)
  if (plan === undefined)
    throw new ApiError('plan_unknown', "The organization's plan is no longer offered.")
  const limits = limitsInForce(
    { organization: { limitOverrides: overridesOf(organization) } },
    plan,
  )
  const { granted, spent } = await balanceOf(database, organization.id)
  const funds = { billing: plan.billing, granted, spent }
  const seesMoney = plan.billing !== 'none' && alsoAllowed(access, 'billing:read') === 'all'
  const peek = createPeek(environment.valkey)
  return {
    read: () =>
      withValkey(async () => {
        const meters = readMeters(limits, funds, await peek(organization.id))
        return viewMeters(meters, plan.concurrency, seesMoney ? settings.currency : undefined)
      }),
  }
}

function overridesOf(organization: OrganizationRow) {
  return {
    requestsPerMinute: organization.requests_per_minute,
    requestsPerDay: organization.requests_per_day,
    tokensPerMinute: organization.tokens_per_minute,
    tokensPerDay: organization.tokens_per_day,
  }
}

function viewMeters(
  meters: Meters,
  { organization, key, models }: ConcurrencyLimits,
  currency: string | undefined,
): LiveLimits {
  const { capacities, balance, reserved, running } = meters
  return {
    at: new Date(meters.atMs).toISOString(),
    requests_per_minute: viewCapacity(capacities.requestsPerMinute),
    requests_per_day: viewCapacity(capacities.requestsPerDay),
    tokens_per_minute: viewCapacity(capacities.tokensPerMinute),
    tokens_per_day: viewCapacity(capacities.tokensPerDay),
    running,
    concurrent_requests: organization,
    concurrent_requests_per_key: key,
    concurrent_requests_per_model: Object.fromEntries(models),
    balance: balance === null || currency === undefined ? null : viewMoney(balance, currency),
    reserved: currency === undefined ? null : viewMoney(reserved, currency),
  }
}

function viewCapacity({ limit, remaining, resetMs }: Capacity) {
  return { limit, remaining, reset_ms: resetMs }
}
