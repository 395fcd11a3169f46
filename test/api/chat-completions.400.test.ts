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

  async function rejected(change: object) {
    const answer = await api.client.chat(request(change))
    assert.equal(answer.status, 400, answer.text)
    const { type, code, param, message } = readError(answer)
    assert.equal(type, 'invalid_request_error')
    return { code, param, message }
  }

  test('400: a value out of range is reported with its parameter', async () => {
    const { code, param } = await rejected({ temperature: 2.1 })
    assert.deepEqual([code, param], ['invalid_value', 'temperature'])
  })

  test('400: a nested violation is reported with its path', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:,x' } }
    const content = [{ type: 'text', text: 'See' }, image]
    const { code, param } = await rejected({ messages: [{ role: 'user', content }] })
    assert.deepEqual([code, param], ['invalid_value', 'messages[0].content[1].type'])
  })

  test('400: arguments that are nested too deep are reported with their path', async () => {
    const called = { name: 'f', arguments: '['.repeat(7_000) + ']'.repeat(7_000) }
    const call = { id: 'call_1', type: 'function', function: called }
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', tool_calls: [call] },
    ]
    const { code, param } = await rejected({ messages })
    assert.deepEqual(
      [code, param],
      ['invalid_value', 'messages[1].tool_calls[0].function.arguments'],
    )
  })

  test('400: an unlisted parameter is reported, whatever its value', async () => {
    for (const value of [null, 1, {}]) {
      const { code, param } = await rejected({ metadata: value })
      assert.deepEqual([code, param], ['unsupported_parameter', 'metadata'])
    }
  })

  test('400: a fixed parameter with another value is unsupported_value', async () => {
    const { code, param } = await rejected({ n: 2 })
    assert.deepEqual([code, param], ['unsupported_value', 'n'])
  })

  test('400: a missing parameter is reported', async () => {
    const { code, param } = await rejected({ messages: undefined })
    assert.deepEqual([code, param], ['missing_required_parameter', 'messages'])
  })

  test('400: the strict model reports which message has no reasoning', async () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', reasoning_content: 'c' },
      { role: 'assistant', content: 'd' },
    ]
    const { code, param, message } = await rejected({ model: 'headrace/pebble-strict', messages })
    const path = 'messages[2].reasoning_content'
    assert.deepEqual([code, param], ['missing_required_parameter', path])
    assert.ok(message.includes(path))
  })

  test('400: for a prompt beyond the context, the message states the context length', async () => {
    const content = ' one'.repeat(5_000)
    const { code, param, message } = await rejected({ messages: [{ role: 'user', content }] })
    assert.deepEqual([code, param], ['context_length_exceeded', 'messages'])
    assert.match(message, /prompt is too long: .* maximum context length is 4096 tokens/)
  })

  test('400: an unsupported parameter is named, and where to remove it', async () => {
    const { code, param, message } = await rejected({ top_logprobs: 5 })
    assert.deepEqual([code, param], ['unsupported_parameter', 'top_logprobs'])
    const remove = /Remove it from the request or from the client's settings.$/
    assert.match(message, remove)
  })

  test('400: no message quotes the body', async () => {
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

  test('400: an invalid body counts as a request and reports the capacity', async () => {
    const { key } = await api.service.createCaller()
    const first = await api.client.chat({}, { key })
    const second = await api.client.chat({}, { key })
    const name = 'x-ratelimit-remaining-requests-day'
    assert.equal(Number(first.headers[name]) - Number(second.headers[name]), 1)
  })
})
