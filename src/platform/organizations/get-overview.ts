import type { Overview, Totals } from '../../contract/management/billing.ts'
import { readRecentSpeed, type ModelSpeed } from '../../store/ledger/recent-speed.ts'
import { readRecentUsage, type UsageTotals } from '../../store/ledger/recent-usage.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import { countKeys, KEYS_COUNTED_MAX } from '../../store/tenants/count-keys.ts'
import { alsoAllowed } from '../use-case/also-allowed.ts'
import type { Access } from '../use-case/authorize.ts'
import { readBalance } from '../billing/read-balance.ts'
import type { Environment, Settings } from '../use-case/environment.ts'
import { viewKeyCount } from '../keys/view-key-count.ts'
import { modelsOf, planOf } from '../use-case/plan-of.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { readAvailability } from './model-availability.ts'

const LIMITS = [
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
] as const

/** All figures of the overview page that the caller may see. */
export const getOverview = defineRead(
  { action: 'overview.read', permission: 'organization:read' },
  async ({ environment, access }): Promise<Overview> => {
    const { organization } = access
    const nowMs = Date.now()
    const seesUsage = alsoAllowed(access, 'usage:read') === 'all'
    const seesBalance = alsoAllowed(access, 'billing:read') === 'all'
    const recent =
      seesUsage || seesBalance
        ? await readRecentUsage(environment.database, organization.id, nowMs)
        : undefined
    const { settings } = environment
    const { currency } = settings
    const availabilityOf = await readAvailability(environment, organization.id)
    const { id, slug, name } = organization
    return {
      organization: { id, slug, name },
      plan: viewPlan(settings, organization),
      models: modelsOf(settings, planOf(settings, organization)).map((model) => ({
        id: model.id,
        availability: availabilityOf(model),
      })),
      keys: await viewKeys(environment, access),
      usage:
        recent === undefined || !seesUsage
          ? null
          : {
              today: viewTotals(recent.today, currency),
              this_month: viewTotals(recent.month, currency),
            },
      speed: seesUsage
        ? (await readRecentSpeed(environment.database, organization.id, nowMs)).map(viewSpeed)
        : null,
      balance:
        recent === undefined || !seesBalance
          ? null
          : await readBalance(environment, organization, recent, nowMs),
    }
  },
)

function viewTotals(totals: UsageTotals, currency: string): Totals {
  return {
    requests: totals.requests,
    prompt_tokens: totals.promptTokens,
    cached_tokens: totals.cachedTokens,
    completion_tokens: totals.completionTokens,
    cost: viewMoney(totals.cost, currency),
  }
}

function viewSpeed({ model, firstTokenMs, tokensPerSecond }: ModelSpeed) {
  return {
    model,
    first_token_ms: firstTokenMs === null ? null : Math.round(firstTokenMs),
    tokens_per_second: tokensPerSecond === null ? null : Math.round(tokensPerSecond * 10) / 10,
  }
}

async function viewKeys({ database }: Environment, access: Access): Promise<Overview['keys']> {
  const grant = alsoAllowed(access, 'keys:read')
  const { actor, organization } = access
  if (grant === undefined || organization === null) return null
  const own = grant === 'own' && actor.kind === 'person' ? { accountId: actor.account.id } : {}
  const scope = { organizationId: organization.id, ...own }
  const count = await countKeys(database, scope, KEYS_COUNTED_MAX + 1)
  return viewKeyCount(count)
}

/** Limits in force: those of the organization alone come before those of its plan. */
function viewPlan(settings: Settings, organization: OrganizationRow): Overview['plan'] {
  const plan = planOf(settings, organization)
  if (plan === undefined)
    return {
      name: organization.plan,
      offered: false,
      billing: null,
      limits: null,
      overridden: [],
      models: 0,
    }
  const { limits } = plan
  return {
    name: plan.name,
    offered: true,
    billing: plan.billing,
    limits: {
      requests_per_minute: organization.requests_per_minute ?? limits.requestsPerMinute,
      requests_per_day: organization.requests_per_day ?? limits.requestsPerDay,
      tokens_per_minute: organization.tokens_per_minute ?? limits.tokensPerMinute,
      tokens_per_day: organization.tokens_per_day ?? limits.tokensPerDay,
    },
    overridden: LIMITS.filter((limit) => organization[limit] !== null),
    models: plan.models === 'all' ? settings.models.length : plan.models.size,
  }
}
