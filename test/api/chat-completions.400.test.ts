import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readError } from './client.ts'
import { request, startApi, type Api } from './start.ts'

describe('400', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api[Symbol.asyncDispose]())

  async function refuse(change: object) {
    const answer = await api.client.chat(request(change))
    assert.equal(answer.status, 400, answer.text)
    const { type, code, param, message } = readError(answer)
    assert.equal(type, 'invalid_request_error')
    return { code, param, message }
  }

  test('400: a value out of range is named by its parameter', async () => {
    const { code, param } = await refuse({ temperature: 2.1 })
    assert.deepEqual([code, param], ['invalid_value', 'temperature'])
  })

  test('400: a fault deep in the body is named by its path', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:,x' } }
    const content = [{ type: 'text', text: 'See' }, image]
    const { code, param } = await refuse({ messages: [{ role: 'user', content }] })
    assert.deepEqual([code, param], ['invalid_value', 'messages[0].content[1].type'])
  })

  test('400: an unlisted parameter is named, whatever its value', async () => {
    for (const value of [null, 1, {}]) {
      const { code, param } = await refuse({ metadata: value })
      assert.deepEqual([code, param], ['unsupported_parameter', 'metadata'])
    }
  })

  test('400: a fixed parameter with another value is unsupported_value', async () => {
    const { code, param } = await refuse({ n: 2 })
    assert.deepEqual([code, param], ['unsupported_value', 'n'])
  })

  test('400: a missing parameter is named', async () => {
    const { code, param } = await refuse({ messages: undefined })
    assert.deepEqual([code, param], ['missing_required_parameter', 'messages'])
  })

  test('400: the strict model names the very message that lacks its reasoning', async () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', reasoning_content: 'c' },
      { role: 'assistant', content: 'd' },
    ]
    const { code, param, message } = await refuse({ model: 'headrace/pebble-strict', messages })
    const path = 'messages[2].reasoning_content'
    assert.deepEqual([code, param], ['missing_required_parameter', path])
    assert.ok(message.includes(path))
  })

  test('400: a prompt beyond the context says how long the context is', async () => {
    const content = ' one'.repeat(5_000)
    const { code, param, message } = await refuse({ messages: [{ role: 'user', content }] })
    assert.deepEqual([code, param], ['context_length_exceeded', 'messages'])
    assert.match(message, /maximum context length is 4096 tokens/)
  })

  test('400: no message repeats what the body holds', async () => {
    const secret = 'Secret4711'
    const bodies = [
      `{"model": "${secret}"`,
      JSON.stringify(request({ temperature: secret })),
      JSON.stringify(request({ messages: [{ role: secret, content: secret }] })),
      JSON.stringify(request({ stop: [secret, { [secret]: secret }] })),
      JSON.stringify(request({ tool_choice: secret })),
    ]
    for (const body of bodies) {
      const answer = await api.client.chat({}, { body })
      assert.equal(answer.status, 400)
      assert.ok(!answer.text.includes(secret), answer.text)
    }
  })

  test('400: a refused body reports the capacity that its admission left', async () => {
    const { key } = await api.service.createCaller()
    const first = await api.client.chat({}, { key })
    const second = await api.client.chat({}, { key })
    const name = 'x-ratelimit-remaining-requests-day'
    assert.equal(Number(first.headers[name]) - Number(second.headers[name]), 1)
  })
})
