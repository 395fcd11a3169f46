import assert from 'node:assert/strict'
import {
  checkJsonSchemas,
  type SchemaViolation,
} from '../../../src/contract/json-schema/check-json-schemas.ts'

export const PATH = 'tools[3].function.parameters'

// Through JSON, so that as in a request no two places share one object.
export function check(...schemas: unknown[]): SchemaViolation | undefined {
  return checkJsonSchemas(
    schemas.map((schema) => ({
      path: PATH,
      schema: JSON.parse(JSON.stringify(schema)) as unknown,
    })),
  )
}

export function assertViolation(schema: unknown, below: string, message: RegExp): void {
  const violation = check(schema)
  assert.equal(violation?.path, PATH + below, JSON.stringify(schema).slice(0, 200))
  assert.match(violation?.message ?? '', message)
  assert.match(violation?.message ?? '', /^must /)
}
