// Apart from the schema, so that the web app can use the names without the code that checks them.

/**
 * Parameters that a plan or an API key can allow requests to carry although nothing is done with
 * them. None of them asks for anything about the answer, so an answer that ignores them is not
 * another one than was asked for. In the order in which a response names them.
 */
export const IGNORABLE_PARAMETERS = [
  'user',
  'safety_identifier',
  'metadata',
  'prompt_cache_key',
] as const

export type IgnorableParameter = (typeof IGNORABLE_PARAMETERS)[number]

/** Those that are in one of the lists, each once and in the fixed order. */
export function joinIgnored(...lists: readonly (readonly string[])[]): IgnorableParameter[] {
  return IGNORABLE_PARAMETERS.filter((name) => lists.some((list) => list.includes(name)))
}
