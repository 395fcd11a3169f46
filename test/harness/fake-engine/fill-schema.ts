export type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly minimum?: number
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly definitions?: Readonly<Record<string, JsonSchema>>
}

/** The smallest value of a schema: its required members; `text` is the value of each string. */
export function fillSchema(schema: JsonSchema, text = 'example', root = schema): unknown {
  const fill = (part: JsonSchema) => fillSchema(part, text, root)
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return fill(root.$defs?.[name] ?? root.definitions?.[name] ?? {})
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const choice = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.[0]
  if (choice !== undefined) return fill(choice)
  const type = typeof schema.type === 'object' ? schema.type[0] : schema.type
  if (type === 'string') return text
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'array')
    return Array.from({ length: schema.minItems ?? 1 }, () => fill(schema.items ?? {}))
  const { properties = {}, required = [] } = schema
  return Object.fromEntries(required.map((name) => [name, fill(properties[name] ?? {})]))
}
