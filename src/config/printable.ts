import { isObject } from '../lib/is-object.ts'
import type { SchemaNode } from './schema-nodes.ts'
import { ConfigSchema, type Config } from './schema.ts'

const MASK = '***'

/** The configuration with secrets masked; URLs keep only host and database. */
export function printableConfig(config: Config): object {
  return redact(ConfigSchema as object, config) as object
}

function redact(schema: SchemaNode, value: unknown): unknown {
  if (schema.secret === 'url' && typeof value === 'string') {
    const { protocol, host, pathname, username, password } = new URL(value)
    return `${protocol}//${username || password ? `${MASK}@` : ''}${host}${pathname}`
  }
  if (schema.secret) return MASK
  if (Array.isArray(value)) return value.map((entry) => redact(schema.items ?? {}, entry))
  if (!isObject(value)) return value
  const [entrySchema = {}] = Object.values(schema.patternProperties ?? {})
  const schemaOf = (key: string) => schema.properties?.[key] ?? entrySchema
  return Object.fromEntries(
    Object.keys(value).map((key) => [key, redact(schemaOf(key), value[key])]),
  )
}
