import { ApiError } from '../../contract/error.ts'
import type { Settings } from '../use-case/environment.ts'

/** An organization with an unknown plan would lose all access. */
export function checkPlan(plan: string, { plans }: Pick<Settings, 'plans'>): void {
  if (Object.hasOwn(plans, plan)) return
  const known = Object.keys(plans).join(', ')
  throw new ApiError(
    'plan_unknown',
    `Unknown plan ${JSON.stringify(plan)}; the configuration has: ${known}.`,
    { param: 'plan' },
  )
}
