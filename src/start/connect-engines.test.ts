import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, MINIMAL } from '../../test/harness/processes/configuration.ts'
import { createEngineConnector } from './connect-engines.ts'
import { expandEngines } from './serving/expand-engines.ts'

/** How the prompts are kept apart that one engine has cached. */
function promptCacheOf(kind: string, promptCache: string): string | undefined {
  const settings = `kind: ${kind}, prompt_cache: ${promptCache}`
  const config = load(MINIMAL.replace('kind: vllm', settings))
  const engines = createEngineConnector(config).connect(expandEngines(config, new Map()), config)
  const [engine] = [...engines.values()].flat()
  return engine?.promptCache
}

test('a llama-server reuses prompts only if one process is all that uses it', () => {
  const caches = ['auto', 'none', 'exclusive'].map((each) => promptCacheOf('llama-server', each))
  assert.deepEqual(caches, ['none', 'none', 'slots'])
})

test('an engine with salts reuses prompts for all processes', () => {
  const caches = ['auto', 'none', 'exclusive'].map((each) => promptCacheOf('vllm', each))
  assert.deepEqual(caches, ['salted', 'none', 'salted'])
})
