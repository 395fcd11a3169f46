import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { promptTokensMaxOf, TEMPLATE_COST_DEFAULT } from '../contract/prompt-bound.ts'
import { createNeutralise } from '../engines/adapters/neutralise.ts'
import { worstCost } from '../tenancy/price.ts'
import type { Caller } from '../tenancy/caller.ts'
import { createCallIds } from './call-ids.ts'
import type { Catalog } from './catalog.ts'
import { chooseModel } from './fallback/choose-model.ts'
import { estimateRequest } from './estimate.ts'
import { openRecord } from './open-record.ts'
import type { ChatBody } from './read-chat-body.ts'

const PRICE = { input: 3_000_000, cachedInput: 1_000_000, output: 7_000_000 }
const CONTEXT = 1_000
const OUTPUT_MAX = 400

const catalog = new Map([
  ['paid', servedModel('paid')],
  ['free', servedModel('free')],
]) as unknown as Catalog
const caller = {
  organizationId: 'organization',
  projectId: 'project',
  credentialId: 'credential',
  models: 'all',
  keyModels: null,
  keyLimits: null,
  prices: new Map([['paid', PRICE]]),
} as unknown as Caller
const usageLog = { instance: 'process' }
const fleet = { isReady: () => true }
const callIds = createCallIds([])

function servedModel(id: string): object {
  const model = { id, context_length: CONTEXT, max_output_tokens: OUTPUT_MAX }
  const templateCost = () => TEMPLATE_COST_DEFAULT
  const abilitiesFor = () => undefined
  return { model, neutralise: createNeutralise([]), templateCost, abilitiesFor, fallback: [] }
}

function open(body: ChatBody, by = caller) {
  const estimate = estimateRequest(body)
  const { served } = chooseModel(body, estimate, by, { catalog, fleet, callIds }, Date.now())
  return openRecord('request', by, body, estimate, served, usageLog)
}

function opened(value: unknown) {
  return open({ read: true, value })
}

function chat(change: object): object {
  return { model: 'paid', messages: [{ role: 'user', content: 'x'.repeat(100) }], ...change }
}

test('a record names a model only if it is served, whatever the body is', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const record = opened(value)
      assert.ok(record.model === null || catalog.has(record.model))
      assert.ok(record.model !== null || (record.price === null && record.reserved === 0))
    }),
  )
  for (const model of ['Paid', 'paid ', '', null, 7, ['paid'], { id: 'paid' }])
    assert.deepEqual(opened(chat({ model })).model, null)
  assert.equal(opened(chat({})).model, 'paid')
})

test('an unreadable body reserves nothing', () => {
  const body = { read: false, error: new Error('unreadable') } as never
  const record = open(body)
  assert.deepEqual([record.model, record.price, record.reserved], [null, null, 0])
})

test('a model without a price reserves nothing', () => {
  const record = opened(chat({ model: 'free' }))
  assert.deepEqual([record.model, record.price, record.reserved], ['free', null, 0])
})

test('the reservation is the worst-case cost of the request', () => {
  const body = { read: true, value: chat({}) } as const
  const promptTokensMax = promptTokensMaxOf(estimateRequest(body).size)
  const reserved = (change: object) => opened(chat(change)).reserved
  const worst = (output: number) => worstCost(promptTokensMax, output, PRICE)
  assert.ok(promptTokensMax < CONTEXT)
  assert.equal(reserved({ max_tokens: 10 }), worst(10))
  assert.equal(reserved({ max_completion_tokens: 10 }), worst(10))
  assert.equal(reserved({ max_tokens: 10, max_completion_tokens: 20 }), worst(10))
  assert.equal(reserved({ max_tokens: null, max_completion_tokens: 20 }), worst(20))
  assert.equal(reserved({}), worst(OUTPUT_MAX))
  for (const odd of ['10', -1, 0.5, 2 ** 60])
    assert.ok(reserved({ max_tokens: odd }) <= worst(OUTPUT_MAX))
  const controls = { messages: [{ role: 'user', content: '<s>'.repeat(30) }] }
  const plain = { messages: [{ role: 'user', content: 'xyz'.repeat(30) }] }
  const added = worstCost(3 * 30, 0, PRICE)
  assert.equal(reserved(controls), reserved(plain) + added, 'control tokens are broken up')
  const long = { messages: [{ role: 'user', content: 'x'.repeat(10 * CONTEXT) }] }
  assert.equal(reserved(long), worstCost(CONTEXT, OUTPUT_MAX, PRICE))
})

test('a record names the account of a playground credential instead of the credential', () => {
  const body = { read: true, value: chat({}) } as const
  const record = (change: Partial<Caller>) => open(body, { ...caller, ...change })
  const person = { accountId: 'account', retention: 'standard' } as const
  const played = record({ ...person, credentialKind: 'playground' })
  assert.deepEqual([played.credentialId, played.accountId], ['account', 'account'])
  assert.deepEqual([played.credentialKind, played.retention], ['playground', 'standard'])
  const keyed = record({ ...person, credentialKind: 'api_key' })
  assert.deepEqual([keyed.credentialId, keyed.accountId], ['credential', 'account'])
})
