import { TOOL_NAME_LENGTH_MAX } from '../../../../../src/contract/chat-bounds.ts'
import { checkJsonSchemas } from '../../../../../src/contract/json-schema/check-json-schemas.ts'
import { isObject } from '../../../../../src/lib/is-object.ts'
import { playground } from '../../../words/playground.ts'

export type ToolFunction = {
  readonly name: string
  readonly description?: string
  readonly parameters?: Record<string, unknown>
}
export type SchemaFormat = {
  readonly name: string
  readonly strict?: boolean
  readonly schema: Record<string, unknown>
}

export type ReadJson<Value> =
  | { readonly value: Value; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: string }

const words = playground.json

/** A tool as people paste it: the function, or the whole entry of `tools`. */
export function readTool(text: string): ReadJson<ToolFunction> {
  const parsed = parseObject(text)
  if (parsed.error !== undefined) return parsed
  const { value } = parsed
  const tool =
    value['type'] === 'function' && isObject(value['function']) ? value['function'] : value
  const { name, description, parameters, ...others } = tool
  if (typeof name !== 'string' || name === '' || name.length > TOOL_NAME_LENGTH_MAX)
    return { error: words.toolName(TOOL_NAME_LENGTH_MAX) }
  if (description !== undefined && typeof description !== 'string')
    return { error: words.mustBeText('description') }
  if (parameters !== undefined && !isObject(parameters))
    return { error: words.mustBeObject('parameters') }
  const [other] = Object.keys(others)
  if (other !== undefined) return { error: words.unknownMember(other) }
  const error = schemaError('parameters', parameters)
  if (error !== undefined) return { error }
  return { value: tool as ToolFunction }
}

/** The value of `json_schema`, or a bare schema. */
export function readSchema(text: string): ReadJson<SchemaFormat> {
  const parsed = parseObject(text)
  if (parsed.error !== undefined) return parsed
  const { value } = parsed
  const format = isObject(value['schema']) ? value : { name: 'answer', schema: value }
  const { name, strict, schema, ...others } = format
  if (typeof name !== 'string' || name === '') return { error: words.schemaName }
  if (strict !== undefined && typeof strict !== 'boolean') return { error: words.strict }
  const [other] = Object.keys(others)
  if (other !== undefined) return { error: words.unknownMember(other) }
  const error = schemaError('schema', schema)
  if (error !== undefined) return { error }
  return { value: format as SchemaFormat }
}

/** By the same code as the API checks it. */
function schemaError(path: string, schema: unknown): string | undefined {
  if (schema === undefined) return undefined
  const violation = checkJsonSchemas([{ path, schema }])
  return violation === undefined ? undefined : `${violation.path} ${violation.message}.`
}

function parseObject(text: string): ReadJson<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { value } : { error: words.notAnObject }
  } catch (error) {
    return { error: words.notJson(error instanceof Error ? error.message : '') }
  }
}
