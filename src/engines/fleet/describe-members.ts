import type { EngineDescription } from './capacity/descriptions.ts'
import type { ToldAbilities } from '../adapters/engine.ts'
import { idOf, type Member } from './member.ts'

type Description = {
  slots: number
  pools: string[]
  identities: Record<string, string[]>
  reserved?: Record<string, { organization: string; models: string[] }>
  known: Record<string, ToldAbilities>
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
      const description = described.get(name) ?? { slots, pools: [], identities: {}, known: {} }
      if (!description.pools.includes(model)) description.pools.push(model)
      description.known[idOf(member)] = member.engine.known
      const offered = (description.identities[idOf(member)] ??= [])
      if (organizationId === undefined) offered.push(model)
      else reserve(description, idOf(member), organizationId).push(model)
      described.set(name, description)
    }
  return described
}

/** The models that one organization alone has from an identity. */
function reserve(description: Description, identity: string, organization: string): string[] {
  description.reserved ??= {}
  return (description.reserved[identity] ??= { organization, models: [] }).models
}
