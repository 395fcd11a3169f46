import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { scriptedModel } from '../harness/fake-engine/scripts.ts'
import { readJson } from './client.ts'
import { request, startApi, type Api } from './start.ts'

type Completion = {
  choices: [
    {
      message: { content: string | null; reasoning_content?: string; tool_calls?: Call[] }
      finish_reason: string
    },
  ]
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number }
}
type Call = { id: string; function: { name: string; arguments: string } }

const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the current weather for a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

describe('200', () => {
  let api: Api
  before(async () => {
    api = await startApi()
  })
  after(() => api[Symbol.asyncDispose]())

  async function complete(change: object): Promise<Completion> {
    const answer = await api.client.chat(request({ max_completion_tokens: 200, ...change }))
    assert.equal(answer.status, 200, answer.text)
    return readJson(answer) as Completion
  }

  test('200: content and reasoning are separate, and usage adds up', async () => {
    const messages = [{ role: 'user', content: 'What is the capital of Spain?' }]
    const { choices, usage } = await complete({ messages, temperature: 0 })
    assert.match(choices[0].message.content ?? '', /Madrid/)
    assert.ok(choices[0].message.reasoning_content)
    assert.equal(choices[0].finish_reason, 'stop')
    assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens)
  })

  test('200: a tool call has valid arguments, and can be sent back with its result', async () => {
    const asked = { role: 'user', content: 'What is the weather in Paris?' }
    const turn = { tools: [WEATHER], temperature: 0, seed: 1 }
    const { choices } = await complete({ ...turn, messages: [asked] })
    const [choice] = choices
    assert.equal(choice.finish_reason, 'tool_calls')
    const [call] = choice.message.tool_calls ?? []
    assert.deepEqual(JSON.parse(call?.function.arguments ?? ''), { city: 'Paris' })
    const result = { role: 'tool', tool_call_id: call?.id, content: '{"temperature": 21}' }
    await complete({ ...turn, messages: [asked, choice.message, result] })
  })

  test('200: a generation at its limit ends with length, and reasoning counts', async () => {
    const { choices, usage } = await complete({ max_completion_tokens: 3 })
    assert.equal(choices[0].finish_reason, 'length')
    assert.equal(usage.completion_tokens, 3)
  })

  test('200: the engine gets only listed parameters, and no header of the client', async () => {
    const headers = { 'x-conversation-id': 'c', cookie: 'a=b', 'x-forwarded-for': '1.2.3.4' }
    const change = { model: scriptedModel('replays-text'), stop: 'x', n: 1, store: false }
    const answer = await api.client.chat(request(change), { headers })
    assert.equal(answer.status, 200)
    const body = Object.keys(api.engine.lastBody.get('replays-text') ?? {})
    const head = Object.keys(api.engine.lastHead.get('replays-text') ?? {})
    assert.deepEqual(
      [...body, ...head].filter((name) => name in change && name !== 'model'),
      [],
    )
    assert.deepEqual(
      head.filter((name) => name in headers),
      [],
    )
  })

  test('200: a response names the parameter that has no effect, streamed or not', async () => {
    const model = scriptedModel('replays-text')
    const named = async (change: object) => {
      const answer = await api.client.chat(request({ model, ...change }))
      assert.equal(answer.status, 200)
      return answer.headers['x-ignored-parameters']
    }
    assert.equal(await named({ stop: ['x'] }), 'stop')
    assert.equal(await named({ stop: 'x', stream: true }), 'stop')
    assert.equal(await named({ stop: null }), undefined)
    assert.equal(await named({}), undefined)
  })

  test('200: every response has a new request id, never the one that the client sent', async () => {
    const clientId = '01890000-0000-7000-8000-000000000000'
    const ids = await Promise.all(
      [1, 2, 3].map(async () => {
        const { headers } = await api.client.chat(request(), {
          headers: { 'x-request-id': clientId },
        })
        assert.equal(headers['x-server-request-id'], headers['x-request-id'])
        return headers['x-request-id']
      }),
    )
    assert.equal(new Set([clientId, ...ids]).size, 4)
  })
})
