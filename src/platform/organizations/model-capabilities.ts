import type { ModelCapabilities } from '../../contract/management/billing.ts'
import type { ModelEngine, ModelEngines } from '../../store/fleet/model-engines.ts'
import type { Environment } from '../use-case/environment.ts'
import { enginesFor } from './model-availability.ts'

/** Returns what tells of each model what it can do for the organization, from one read. */
export async function readCapabilities(
  { settings, readModelEngines }: Environment,
  organizationId: string,
): Promise<(modelId: string) => ModelCapabilities> {
  const known = await readModelEngines(settings.api.fleet)
  return (modelId) => capabilitiesOf(known?.get(modelId), organizationId)
}

/**
 * Requests that force a call or a schema go to engines that have it, so one is enough, and all have
 * to be known to lack it. Others go to any engine, so reasoning is what all of them have.
 */
export function capabilitiesOf(
  known: ModelEngines | undefined,
  organizationId: string,
): ModelCapabilities {
  const engines = enginesFor(known, organizationId)
  return {
    tool_choice: anyHas(engines, 'tool_choice'),
    json_schema: anyHas(engines, 'json_schema'),
    reasoning: allHave(engines, 'reasoning'),
  }
}

type Ability = keyof ModelEngine['known']

function anyHas(engines: readonly ModelEngine[], ability: Ability): boolean | null {
  if (engines.some(({ known }) => known[ability] === true)) return true
  return areKnown(engines, ability) ? false : null
}

function allHave(engines: readonly ModelEngine[], ability: Ability): boolean | null {
  if (engines.some(({ known }) => known[ability] === false)) return false
  return areKnown(engines, ability) ? true : null
}

function areKnown(engines: readonly ModelEngine[], ability: Ability): boolean {
  return engines.length > 0 && engines.every(({ known }) => known[ability] !== undefined)
}
