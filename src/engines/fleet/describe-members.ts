import type { EngineDescription } from './capacity/leases.ts'
import { idOf, type Member } from './member.ts'

type Description = {
  slots: number
  pools: string[]
  identities: Record<string, string[]>
  reserved?: Record<string, { organization: string; models: string[] }>
}

/**
 * The engines of all models by name, as the other processes have to know them. Slots of an engine
 * that only one organization may use are not offered to whoever asks for any.
 */
export function describeMembers(
  pools: ReadonlyMap<string, { readonly members: readonly Member[] }>,
): Map<string, EngineDescription> {
  const described = new Map<string, Description>()
  for (const [model, { members }] of pools)
    for (const member of members) {
      const { name, slots, organizationId } = member.engine
      const known = described.get(name) ?? { slots, pools: [], identities: {} }
      if (!known.pools.includes(model)) known.pools.push(model)
      const offered = (known.identities[idOf(member)] ??= [])
      if (organizationId === undefined) offered.push(model)
      else reserve(known, idOf(member), organizationId).push(model)
      described.set(name, known)
    }
  return described
}

/** The models that one organization alone has from an identity. */
function reserve(known: Description, identity: string, organization: string): string[] {
  known.reserved ??= {}
  return (known.reserved[identity] ??= { organization, models: [] }).models
}
