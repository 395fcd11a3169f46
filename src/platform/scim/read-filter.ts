import { ApiError } from '../../contract/error.ts'

const EQUALS = /^\s*([a-z]+)\s+eq\s+"((?:[^"\\]|\\.)*)"\s*$/i

type Filter<Attribute extends string> = { readonly attribute: Attribute; readonly value: string }

/** Reads `userName eq "jane@example.com"`: the only filters that providers need to find theirs. */
export function readFilter<Attribute extends string>(
  text: string | undefined,
  attributes: readonly Attribute[],
): Filter<Attribute> | undefined {
  if (text === undefined) return undefined
  const [, name = '', quoted = ''] = EQUALS.exec(text) ?? []
  const attribute = attributes.find((known) => known.toLowerCase() === name.toLowerCase())
  const value = unquote(quoted)
  if (attribute !== undefined && value !== undefined) return { attribute, value }
  const known = attributes.map((each) => `${each} eq "…"`).join(', ')
  throw new ApiError('invalid_value', `'filter' must be one of: ${known}.`, { param: 'filter' })
}

function unquote(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(`"${text}"`)
    // PostgreSQL has no NUL in texts.
    return typeof value === 'string' && !value.includes('\0') ? value : undefined
  } catch {
    return undefined
  }
}
