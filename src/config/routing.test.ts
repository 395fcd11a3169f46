import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, MINIMAL, problemsOf } from '../../test/harness/processes/configuration.ts'
import { findFixedChanges } from './find-fixed-changes.ts'

function engines(text: string): string {
  return MINIMAL.replace(/^engines: .*$/m, `engines: [${text}]`)
}

function models(text: string): string {
  return MINIMAL.replace(/^models: .*$/m, `models: [${text}]`)
}

const ONE = '{ name: one, kind: vllm, slots: 1'

test('an engine has an address or one source of addresses', () => {
  const problems = (text: string) => problemsOf(() => load(engines(text)))
  assert.deepEqual(problems(`${ONE} }`), ['headrace.yaml:2 engines[0].url is missing'])
  const both = `${ONE}, url: 'http://a', discover: { file: { path: /x } } }`
  const neither = `${ONE}, discover: {} }`
  const two = `${ONE}, discover: { file: { path: /x }, dns: { name: a.b } } }`
  assert.match(problems(both)[0] ?? '', /discover must not be set together with url$/)
  for (const text of [neither, two])
    assert.match(problems(text)[0] ?? '', /discover must have one of dns, file, kubernetes$/)
  const [engine] = load(engines(`${ONE}, discover: { dns: { name: a.b, port: 8000 } } }`)).engines
  assert.deepEqual(engine?.discover, {
    scheme: 'http',
    dns: { name: 'a.b', port: 8000, servers: [] },
  })
})

test('engines of a model have weights, and each is named once', () => {
  const of = (list: string) => models(`{ id: a, owned_by: b, engines: [${list}] }`)
  assert.deepEqual(load(of('{ name: one, weight: 0.05 }')).models[0]?.engines, [
    { name: 'one', weight: 0.05 },
  ])
  const problems = (list: string) => problemsOf(() => load(of(list)))[0] ?? ''
  assert.match(problems('one, { name: one, weight: 2 }'), /engines\[1\] has a duplicate name$/)
  assert.match(problems('{ name: two, weight: 1 }'), /engines\[0\] refers to an unknown engine/)
  const again = models(
    '{ id: a, owned_by: b, engines: [one] }, ' +
      '{ id: c, owned_by: b, engines: [{ name: one, weight: 2 }] }',
  )
  const [other = ''] = problemsOf(() => load(again))
  assert.match(other, /models\[1\]\.engines\[0\] has another weight in an earlier model$/)
  assert.match(problems('{ name: one, weight: 0 }'), /must be the name of an engine, or \{ name/)
})

test('an alias belongs to one model, and a fallback is another one', () => {
  const other = '{ id: b, owned_by: x, engines: [one], aliases: [c] }'
  const problems = (settings: string) =>
    problemsOf(() => load(models(`${other}, { id: a, owned_by: x, engines: [one], ${settings} }`)))
  assert.deepEqual(problems('aliases: [d], fallback: [b]'), [])
  for (const taken of ['a', 'b', 'c'])
    assert.match(problems(`aliases: [${taken}]`)[0] ?? '', /is already the id or an alias/)
  assert.match(problems('fallback: [a]')[0] ?? '', /must be another model$/)
  assert.match(problems('fallback: [c]')[0] ?? '', /refers to an unknown model/)
})

test('only models, engines and plans change without a restart; others are named', () => {
  const before = load(MINIMAL)
  const plans = { ...before.plans, other: before.plans['free']! }
  assert.deepEqual(findFixedChanges(before, { ...before, engines: [], models: [], plans }), [])
  const after = {
    ...before,
    api: { ...before.api, port: 1 },
    database_url: 'postgres://other/x',
    signing_key: 'a'.repeat(43),
  }
  assert.deepEqual(findFixedChanges(before, after), ['api.port', 'database_url', 'signing_key'])
})
