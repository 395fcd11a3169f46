import assert from 'node:assert/strict'
import {
  checkJsonSchemas,
  type SchemaFault,
} from '../../src/contract/json-schema/check-json-schemas.ts'

export const PATH = 'tools[3].function.parameters'

// Through JSON, so that as in a request no two places share one object.
export function check(...schemas: unknown[]): SchemaFault | undefined {
  return checkJsonSchemas(
    schemas.map((schema) => ({
      path: PATH,
      schema: JSON.parse(JSON.stringify(schema)) as unknown,
    })),
  )
}

export function assertFault(schema: unknown, below: string, message: RegExp): void {
  const fault = check(schema)
  assert.equal(fault?.path, PATH + below, JSON.stringify(schema).slice(0, 200))
  assert.match(fault?.message ?? '', message)
  assert.match(fault?.message ?? '', /^must /)
}
