import type { ModelAvailability } from '../../contract/management/billing.ts'
import type { ModelEngine, ModelEngines } from '../../store/fleet/model-engines.ts'
import type { Environment } from '../use-case/environment.ts'

/** Returns what tells of each model how it is for the organization, from one read. */
export async function readAvailability(
  { settings, readModelEngines }: Environment,
  organizationId: string,
): Promise<(model: Environment['settings']['models'][number]) => ModelAvailability> {
  const known = await readModelEngines(settings.api.fleet)
  const nowMs = Date.now()
  return ({ id, shutdown_date: end }) =>
    end !== null && Date.parse(end) <= nowMs
      ? { state: 'unavailable', since: new Date(end).toISOString() }
      : availabilityOf(known?.get(id), organizationId)
}

/**
 * A model of which nothing is known is never called available. Of a reserved engine only its
 * organization is told.
 */
export function availabilityOf(
  known: ModelEngines | undefined,
  organizationId: string,
): ModelAvailability {
  const engines = enginesFor(known, organizationId)
  const serving = engines.filter(({ serves }) => serves === true)
  if (serving.length > 0) {
    // The others have to serve more than twice as many as they were meant to.
    const isHalved = slotsOf(serving) * 2 < slotsOf(engines)
    const isShort = isHalved || known?.isWaitedFor === true
    return { state: isShort ? 'short' : 'available', since: null }
  }
  if (engines.length === 0 || engines.some(({ serves }) => serves === null))
    return { state: 'unknown', since: null }
  const times = engines.flatMap(({ outSinceMs }) => outSinceMs ?? [])
  // Since the last of them is out.
  const since = times.length < engines.length ? null : new Date(Math.max(...times)).toISOString()
  return { state: 'unavailable', since }
}

/** The engines of a model that an organization may use. */
export function enginesFor(
  known: ModelEngines | undefined,
  organizationId: string,
): readonly ModelEngine[] {
  return (known?.engines ?? []).filter(
    ({ organization }) => organization === null || organization === organizationId,
  )
}

/** An engine that has the model under several identities has its slots once. */
function slotsOf(engines: readonly ModelEngine[]): number {
  const byName = new Map(engines.map(({ name, slots }) => [name, slots]))
  return [...byName.values()].reduce((sum, slots) => sum + slots, 0)
}
