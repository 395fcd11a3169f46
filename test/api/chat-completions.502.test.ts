import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { scriptedModel, type ScriptName } from '../harness/fake-engine/scripts.ts'
import { readError, readStream } from './client.ts'
import { request, startApi, type Api } from './start.ts'

const EARLY: readonly ScriptName[] = [
  'fails',
  'refuses-request',
  'sends-garbage',
  'sends-page',
  'resets-first',
  'closes-first',
  'ends-empty',
  'errs-first',
  'never-ends-event',
]
const LATE: readonly ScriptName[] = [
  'errs-later',
  'garbles-later',
  'cuts-stream',
  'ends-early',
  'ends-after-finish',
  'marks-without-finish',
  'talks-after-finish',
  'aborts',
]

describe('502', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api[Symbol.asyncDispose]())

  function ask(script: ScriptName, stream: boolean) {
    return api.client.chat(request({ model: scriptedModel(script), stream }))
  }

  for (const script of EARLY) {
    test(`502: ${script}: a failure before the first piece has the status 502`, async () => {
      for (const stream of [false, true]) {
        const answer = await ask(script, stream)
        assert.equal(answer.status, 502, answer.text)
        const { type, code, param } = readError(answer)
        assert.deepEqual([type, code, param], ['upstream_unavailable_error', null, null])
        assert.ok(!answer.text.includes('SECRET'), 'the engine’s message is not forwarded')
        assert.ok(answer.headers['x-ratelimit-limit-tokens'])
      }
    })
  }

  for (const script of LATE) {
    test(`502: ${script}: a stream ends with an error event, without [DONE]`, async () => {
      const streamed = await ask(script, true)
      assert.equal(streamed.status, 200)
      const { chunks, errors, done } = readStream(streamed)
      assert.ok(chunks.length > 0)
      assert.equal(errors[0]?.type, 'upstream_unavailable_error')
      assert.equal(errors.length, 1)
      assert.equal(done, false)
      assert.ok(!streamed.text.includes('SECRET'))
      assert.equal((await ask(script, false)).status, 502)
    })
  }

  test('502: if the engine rejects the key of the service, the caller is not blamed', async () => {
    const answer = await ask('rejects-key', false)
    assert.equal(answer.status, 502)
    assert.equal(readError(answer).code, 'upstream_credentials_rejected')
  })

  test('502: a forced tool choice that the engine ignores is an error', async () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const model = scriptedModel('finishes-with-text')
    const answer = await api.client.chat(request({ model, tools, tool_choice: 'required' }))
    assert.equal(answer.status, 502)
  })

  test('502: no failure of an engine leaves a generation running', () => {
    for (const script of [...EARLY, ...LATE]) assert.equal(api.engine.runningOf(script), 0, script)
  })
})
