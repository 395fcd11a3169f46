import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelsOf } from './view-engine.ts'

const engine = (name: string) => ({ name })
const CONFIG = {
  engines: ['gpu', 'gpu-a', 'other'].map(engine),
  models: [
    { id: 'weighted', engines: [{ name: 'gpu', weight: 2 }, 'other'] },
    { id: 'named', engines: ['gpu-a'] },
  ],
}

test('models of an engine are told whether it is named alone or with a weight', () => {
  assert.deepEqual(modelsOf('gpu', CONFIG), ['weighted'])
  assert.deepEqual(modelsOf('other', CONFIG), ['weighted'])
  assert.deepEqual(modelsOf('gpu-a', CONFIG), ['named'])
})

test('discovered engines and ranks have the models of what they belong to', () => {
  assert.deepEqual(modelsOf('gpu-10.0.0.7-8000', CONFIG), ['weighted'])
  assert.deepEqual(modelsOf('gpu-a-10.0.0.7-8000-dp1', CONFIG), ['named'])
  assert.deepEqual(modelsOf('unknown', CONFIG), [])
})
