import { ApiError } from '../../contract/error.ts'
import { SCHEMAS } from '../../contract/scim/resources.ts'
import { TEXT_LENGTH_MAX, type ScimOperation } from '../../contract/scim/requests.ts'
import { isObject } from '../../lib/is-object.ts'

/** One attribute that a PATCH sets, adds to or removes. Its name is in lower case. */
export type AttributeChange = {
  readonly op: 'add' | 'replace' | 'remove'
  readonly attribute: string
  /** The filter in brackets, as `value eq "…"` of `members[value eq "…"]`. */
  readonly filter: string | undefined
  readonly value: unknown
}

const PATH = /^([\w$.:-]+?)(?:\[([^[\]]*)\](?:\.[\w$]+)?)?$/
const CORE = [SCHEMAS.user, SCHEMAS.group].map((schema) => `${schema.toLowerCase()}:`)

/**
 * The changes of a PATCH, in their order. Providers write the same in several ways: the operation
 * in capitals, no path and an object as the value, names with a dot as members of that object.
 */
export function readPatch(operations: readonly ScimOperation[]): AttributeChange[] {
  return operations.flatMap(({ op: written, path, value }) => {
    const op = readOp(written)
    if (path !== undefined && path !== '') return [{ op, ...readPath(path), value }]
    if (op === 'remove') throw invalid('path', 'is needed to remove something')
    if (!isObject(value)) throw invalid('value', 'must be an object if there is no path')
    return Object.entries(value).map(([name, each]) => ({
      op,
      attribute: plainName(name),
      filter: undefined,
      value: each,
    }))
  })
}

function readOp(text: string): AttributeChange['op'] {
  const op = text.toLowerCase()
  if (op === 'add' || op === 'replace' || op === 'remove') return op
  throw invalid('op', 'must be one of: add, replace, remove')
}

function readPath(path: string): Pick<AttributeChange, 'attribute' | 'filter'> {
  const [, name, filter] = PATH.exec(path) ?? []
  if (name === undefined) throw invalid('path', 'is not a path of SCIM')
  return { attribute: plainName(name), filter }
}

/** Without the URN of the core schema, which may precede a name. */
function plainName(name: string): string {
  const lower = name.toLowerCase()
  const core = CORE.find((prefix) => lower.startsWith(prefix))
  return core === undefined ? lower : lower.slice(core.length)
}

/** A text, or null if it is to have no value. */
export function readText(
  value: unknown,
  attribute: string,
  lengthMax: number = TEXT_LENGTH_MAX,
): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'string' && value.length <= lengthMax) return value
  throw invalid(attribute, `must be a text of at most ${lengthMax} characters`)
}

/** Microsoft Entra ID sends "True" and "False". */
export function readActive(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalid('active', 'must be true or false')
}

export function invalid(param: string, must: string): ApiError {
  return new ApiError('invalid_value', `'${param}' ${must}.`, { param })
}
