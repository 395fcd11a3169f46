import type { PlanModel } from '../../api/routes.ts'
import { models as words } from '../../words/models.ts'

export const CAPABILITIES = ['tool_choice', 'json_schema', 'reasoning'] as const

/** What a model is known to do, in short. The rest is absent or not known; the sheet says. */
export function capabilitiesIn({ capabilities }: Pick<PlanModel, 'capabilities'>): string {
  const has = CAPABILITIES.filter((each) => capabilities[each] === true)
  if (has.length > 0) return has.map((each) => words.capabilityShort[each]).join(', ')
  const isKnown = CAPABILITIES.every((each) => capabilities[each] === false)
  return isKnown ? words.noCapabilities : words.notKnown
}
