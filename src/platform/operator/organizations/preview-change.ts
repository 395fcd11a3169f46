import {
  LIMIT_NAMES,
  type LimitName,
  type OrganizationUpdate,
  type OrganizationPreview,
} from '../../../contract/management/operator-organization.ts'
import { createPeek } from '../../../store/limits/peek.ts'
import type { OrganizationRow } from '../../../store/postgres/tables.ts'
import { listKeyModels } from '../../../store/tenants/key-models.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import { ValkeyUnavailable } from '../../../store/valkey/valkey.ts'
import { readMeters, type Peeked } from '../../../tenancy/meters.ts'
import type { Plan } from '../../../tenancy/plan.ts'
import type { Capacities, RateLimits } from '../../../tenancy/rate-limits.ts'
import type { Environment, Settings } from '../../use-case/environment.ts'
import { checkPlan } from '../../organizations/check-plan.ts'
import { planOf } from '../../use-case/plan-of.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { modelsOf } from '../list-plans.ts'
import { limitInForce } from './limits-in-force.ts'
import { KEYS_MAX } from './show-organization.ts'

type PreviewInput = OrganizationUpdate & { readonly organization: string }

/** What a change of an organization would do, now. It changes nothing. */
export const previewOrganizationChange = defineRead(
  { action: 'organization.preview', permission: 'platform:read' },
  async ({ environment, database }, input: PreviewInput): Promise<OrganizationPreview> => {
    const { settings } = environment
    const { organization, limits = {}, suspension: _, ...others } = input
    if (others.plan !== undefined) checkPlan(others.plan, settings)
    const before = await findOrganization(database, organization)
    const after: OrganizationRow = { ...before, ...others, ...limits }
    const plans = { before: planOf(settings, before), after: planOf(settings, after) }
    const peeked = await peek(environment, before.id)
    return {
      plan: { before: before.plan, after: after.plan },
      billing: {
        before: plans.before?.billing ?? null,
        after: plans.after?.billing ?? null,
      },
      billing_state: { before: before.billing_state, after: after.billing_state },
      limits: previewLimits(settings, before, after, peeked),
      ...previewPlans(settings, plans.before, plans.after),
      keys: await previewKeys(environment, before.id, plans.after),
    }
  },
)

/** Null if Valkey cannot be asked: the rest of the preview is known all the same. */
async function peek({ valkey }: Environment, organizationId: string): Promise<Peeked | null> {
  try {
    return await createPeek(valkey)(organizationId)
  } catch (error) {
    if (error instanceof ValkeyUnavailable) return null
    throw error
  }
}

const DIMENSIONS: Readonly<Record<LimitName, keyof RateLimits>> = {
  requests_per_minute: 'requestsPerMinute',
  requests_per_day: 'requestsPerDay',
  tokens_per_minute: 'tokensPerMinute',
  tokens_per_day: 'tokensPerDay',
}

function previewLimits(
  settings: Settings,
  before: OrganizationRow,
  after: OrganizationRow,
  peeked: Peeked | null,
): OrganizationPreview['limits'] {
  const [now, then] = [before, after].map((row) => capacitiesOf(settings, row, peeked))
  return LIMIT_NAMES.map((name) => {
    const capacity = now?.[DIMENSIONS[name]]
    return {
      name,
      before: limitInForce(settings, before, name),
      after: limitInForce(settings, after, name),
      used: capacity === undefined ? null : capacity.limit - capacity.remaining,
      remaining_after: then?.[DIMENSIONS[name]].remaining ?? null,
    }
  })
}

/** What the rate-limit headers would say with the limits of this row; undefined if unknown. */
function capacitiesOf(
  settings: Settings,
  row: OrganizationRow,
  peeked: Peeked | null,
): Capacities | undefined {
  if (peeked === null || planOf(settings, row) === undefined) return undefined
  const limitOf = (name: LimitName) => limitInForce(settings, row, name)?.limit ?? 0
  const limits: RateLimits = {
    requestsPerMinute: limitOf('requests_per_minute'),
    requestsPerDay: limitOf('requests_per_day'),
    tokensPerMinute: limitOf('tokens_per_minute'),
    tokensPerDay: limitOf('tokens_per_day'),
  }
  return readMeters(limits, { billing: 'none', granted: 0, spent: 0 }, peeked).capacities
}

function previewPlans(
  { models: catalog }: Settings,
  before: Plan | undefined,
  after: Plan | undefined,
): Pick<OrganizationPreview, 'models' | 'credentials' | 'repriced'> {
  const modelsUnder = (plan: Plan | undefined) =>
    plan === undefined ? [] : modelsOf(plan.models, catalog)
  const kept = modelsUnder(after).filter((model) => modelsUnder(before).includes(model))
  const priceOf = (plan: Plan | undefined, model: string) =>
    JSON.stringify(plan?.prices.get(model) ?? null)
  return {
    models: compare(modelsUnder(before), modelsUnder(after)),
    credentials: compare([...(before?.credentials ?? [])], [...(after?.credentials ?? [])]),
    repriced: kept.filter((model) => priceOf(before, model) !== priceOf(after, model)),
  }
}

function compare(before: readonly string[], after: readonly string[]) {
  return {
    lost: before.filter((each) => !after.includes(each)),
    gained: after.filter((each) => !before.includes(each)),
  }
}

async function previewKeys(
  { database, settings }: Environment,
  organizationId: string,
  plan: Plan | undefined,
): Promise<OrganizationPreview['keys']> {
  const keys = await listKeyModels(database, organizationId, KEYS_MAX + 1)
  const counted = keys.slice(0, KEYS_MAX)
  const offered = new Set(plan === undefined ? [] : modelsOf(plan.models, settings.models))
  const reaches = (models: readonly string[] | null) =>
    models === null ? offered.size > 0 : models.some((model) => offered.has(model))
  return {
    count: counted.length,
    more: keys.length > KEYS_MAX,
    without_models: counted.filter((models) => !reaches(models)).length,
  }
}
