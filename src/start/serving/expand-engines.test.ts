import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../config/load.ts'
import { expandEngines } from './expand-engines.ts'

function namesOf(urls: readonly string[]): string[] {
  const group = { name: 'g', kind: 'vllm', slots: 8, discover: {} }
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
