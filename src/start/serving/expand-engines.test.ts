import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../config/load.ts'
import { expandEngines } from './expand-engines.ts'

function namesOf(urls: readonly string[], settings = {}): string[] {
  const group = { name: 'g', kind: 'vllm', slots: 8, discover: {}, ...settings }
  const config = { engines: [group], models: [{ id: 'm', engines: ['g'] }] } as unknown as Config
  const found = new Map([['g', urls.map((url) => ({ url }))]])
  return expandEngines(config, found).engines.map(({ name }) => name)
}

test('an engine that was found is named by its group, its host and its port', () => {
  const urls = ['http://10.0.0.1:8000', 'https://one.test', 'http://[fd00::5]:8000', 'http://[::1]']
  const names = ['g-10.0.0.1-8000', 'g-one.test-443', 'g-fd00-0-0-0-0-0-0-5-8000']
  assert.deepEqual(namesOf(urls), [...names, 'g-0-0-0-0-0-0-0-1-80'])
})

test('two addresses of IPv6 have two names', () => {
  const names = namesOf(['http://[fd00:10:244:1::5]:8000', 'http://[fd00:10:244::1:5]:8000'])
  assert.deepEqual(names, ['g-fd00-10-244-1-0-0-0-5-8000', 'g-fd00-10-244-0-0-0-1-5-8000'])
})

test('each rank of a server is an engine, with the slots and the weight of the setting', () => {
  const names = namesOf(['http://10.0.0.1:8000'], { data_parallel_ranks: 2 })
  assert.deepEqual(names, ['g-10.0.0.1-8000-dp0', 'g-10.0.0.1-8000-dp1'])
  const one = {
    name: 'one',
    kind: 'vllm',
    slots: 8,
    url: 'http://one.test',
    data_parallel_ranks: 2,
  }
  const models = [{ id: 'm', engines: [{ name: 'one', weight: 3 }] }]
  const known = expandEngines({ engines: [one], models } as unknown as Config, new Map())
  assert.deepEqual(
    known.engines.map(({ name, rank, slots, url }) => [name, rank, slots, url]),
    [
      ['one-dp0', 0, 8, 'http://one.test'],
      ['one-dp1', 1, 8, 'http://one.test'],
    ],
  )
  assert.deepEqual(known.namesOf.get('m'), ['one-dp0', 'one-dp1'])
  assert.deepEqual([...known.weights.values()], [3, 3])
})
