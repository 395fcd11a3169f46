import type { EngineDescription } from './capacity/leases.ts'
import { idOf, type Member } from './member.ts'

/**
 * The engines of all models by name, as the other processes have to know them. Slots of an engine
 * that only one organization may use are not offered to whoever asks for any.
 */
export function describeMembers(
  pools: ReadonlyMap<string, { readonly members: readonly Member[] }>,
): Map<string, EngineDescription> {
  const described = new Map<string, { slots: number; identities: Record<string, string[]> }>()
  for (const [model, { members }] of pools)
    for (const member of members) {
      const { name, slots, organizationId } = member.engine
      const known = described.get(name) ?? { slots, identities: {} }
      const models = (known.identities[idOf(member)] ??= [])
      if (organizationId === undefined) models.push(model)
      described.set(name, known)
    }
  return described
}
