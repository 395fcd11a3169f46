import assert from 'node:assert/strict'

export const PERSON_QUESTION = 'Extract the person: Bob is 42 years old.'

export const PERSON_SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
} as const

export function assertBob(person: unknown): void {
  assert.deepEqual(person, { name: 'Bob', age: 42 })
}
