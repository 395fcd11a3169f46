import {
  LIMIT_NAMES,
  type LimitName,
  type LimitInForce,
} from '../../../contract/management/operator-organization.ts'
import type { Settings } from '../../use-case/environment.ts'

type InForce = Omit<LimitInForce, 'name'>

type Limited = { readonly plan: string } & { readonly [name in LimitName]: number | null }

/** Of one limit; null if the plan is no longer offered. */
export function limitInForce(
  { plans }: Pick<Settings, 'plans'>,
  organization: Limited,
  name: LimitName,
): InForce | null {
  const plan = Object.hasOwn(plans, organization.plan) ? plans[organization.plan] : undefined
  if (plan === undefined) return null
  const own = organization[name]
  return own === null
    ? { limit: plan.limits[name], source: 'plan' }
    : { limit: own, source: 'override' }
}

/** All four; null if the plan is no longer offered. */
export function limitsInForce(
  settings: Pick<Settings, 'plans'>,
  organization: Limited,
): LimitInForce[] | null {
  const limits = LIMIT_NAMES.flatMap((name) => {
    const inForce = limitInForce(settings, organization, name)
    return inForce === null ? [] : [{ name, ...inForce }]
  })
  return limits.length === 0 ? null : limits
}
