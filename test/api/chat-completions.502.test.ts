import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { scriptedModel } from '../harness/fake-engine/scripts.ts'
import { FAILING_SCRIPTS } from './contract/engine-failures.ts'
import { request, startApi } from './start.ts'

const api = await startApi()
after(() => api[Symbol.asyncDispose]())

test('502: no failure of an engine leaves a generation running', async () => {
  for (const script of FAILING_SCRIPTS) {
    const model = scriptedModel(script)
    for (const stream of [true, false]) await api.client.chat(request({ model, stream }))
  }
  for (const script of FAILING_SCRIPTS) assert.equal(api.engine.runningOf(script), 0, script)
})
