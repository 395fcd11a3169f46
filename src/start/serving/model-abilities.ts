import type { Engine } from '../../engines/adapters/engine.ts'
import type { ModelAbilities } from '../../inference/catalog.ts'

/**
 * What the engines of a model can do for an organization. Requests that need a tool choice or a
 * schema go to those that have it; the rest must hold wherever a request goes. Undefined if all
 * engines are reserved for others.
 */
export function abilitiesOf(
  engines: readonly Engine[],
): (organizationId: string) => ModelAbilities | undefined {
  const open = engines.filter((engine) => engine.organizationId === undefined)
  const forAll = viewAbilities(open)
  if (open.length === engines.length) return () => forAll
  return (organizationId) => {
    const own = engines.filter(
      (engine) => (engine.organizationId ?? organizationId) === organizationId,
    )
    return own.length === 0 ? undefined : viewAbilities(own)
  }
}

/** Read when they are needed, because the probe may find them later. */
function viewAbilities(engines: readonly Engine[]): ModelAbilities {
  const has = (ability: 'tool_choice' | 'json_schema') =>
    engines.length === 0 || engines.some((engine) => engine.can(ability))
  return {
    get tool_choice() {
      return has('tool_choice')
    },
    get json_schema() {
      return has('json_schema')
    },
    get reasoning() {
      return engines.every((engine) => engine.can('reasoning'))
    },
    get context() {
      return engines.every((engine) => engine.can('context'))
    },
  }
}
