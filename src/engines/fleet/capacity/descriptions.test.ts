import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Descriptions } from './descriptions.ts'

const LEASES = new Map([['one', null]])

function open() {
  const known: { json_schema?: boolean } = {}
  const engine = { slots: 4, pools: ['m'], identities: { i: ['m'] }, known: { i: known } }
  const descriptions = new Descriptions()
  descriptions.replace(new Map([['one', engine]]))
  const knownOf = () => {
    const text = descriptions.take(false, LEASES)['one']
    return text === undefined ? undefined : (JSON.parse(text) as typeof engine).known
  }
  return { known, descriptions, knownOf }
}

test('what an engine has learned is told once, after it was said to have changed', () => {
  const { known, descriptions, knownOf } = open()
  assert.deepEqual(knownOf(), { i: {} })
  known.json_schema = true
  assert.equal(knownOf(), undefined)
  descriptions.update('one')
  assert.deepEqual(knownOf(), { i: { json_schema: true } })
  assert.equal(knownOf(), undefined)
})

test('an engine without a lease is not described, and one that came back is again', () => {
  const { descriptions, knownOf } = open()
  assert.deepEqual(descriptions.take(false, new Map()), {})
  assert.notEqual(knownOf(), undefined)
  descriptions.forget('one')
  assert.notEqual(knownOf(), undefined)
  descriptions.update('unknown')
  assert.equal(knownOf(), undefined)
})
