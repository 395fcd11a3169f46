import assert from 'node:assert/strict'
import { readJson } from '../client.ts'
import { scriptedModel, type ScriptName } from '../../harness/fake-engine/scripts.ts'
import { type Completion, expectAccepted, MODEL, readCompletion, type Rule, rules } from './rule.ts'
import { type ContractApi, STRICT_MODEL } from './start.ts'
import { WEATHER } from './tools.ts'

const CAPITAL = { messages: [{ role: 'user', content: 'What is the capital of Spain?' }] }
const RAIN = { messages: [{ role: 'user', content: 'What is the weather in Paris?' }] }
const LONG = { max_completion_tokens: 200, temperature: 0, seed: 7 }

export const TALK = { ...CAPITAL, ...LONG }
export const TOOL_TURN = { ...RAIN, ...LONG, tools: [WEATHER] }

type Judge = (reply: ReturnType<typeof readCompletion>) => void

/** Rules about the JSON answer to one request. */
function replyRules(change: object, judges: Readonly<Record<string, Judge>>): Rule[] {
  return Object.entries(judges).flatMap(([title, judge]) =>
    rules('reply', { [title]: async (api) => judge(readCompletion(await api.chat(change))) }),
  )
}

function expectCounts(...counts: readonly unknown[]): void {
  for (const count of counts) assert.ok(Number.isInteger(count) && (count as number) >= 0)
}

const TEXT_REPLIES = replyRules(TALK, {
  'members: has exactly the listed members': ({ completion, choice }) => {
    const members = ['choices', 'created', 'id', 'model', 'object', 'usage']
    assert.deepEqual(Object.keys(completion).toSorted(), members)
    const inChoice = ['finish_reason', 'index', 'logprobs', 'message']
    assert.deepEqual(Object.keys(choice).toSorted(), inChoice)
  },
  'object: object is chat.completion': ({ completion }) =>
    assert.equal(completion.object, 'chat.completion'),
  'created: created is the time in Unix seconds': ({ completion: { created } }) => {
    assert.ok(Number.isInteger(created))
    assert.ok(Math.abs(created - Date.now() / 1000) < 30)
  },
  'model: model is the one that was asked for': ({ completion }) =>
    assert.equal(completion.model, MODEL),
  'choices: there is one choice, of index 0': ({ completion, choice }) => {
    assert.equal(completion.choices.length, 1)
    assert.equal(choice.index, 0)
  },
  'logprobs: logprobs is null': ({ choice }) => assert.equal(choice.logprobs, null),
  'finish: finish_reason is stop at a normal end': ({ choice }) =>
    assert.equal(choice.finish_reason, 'stop'),
  'role: role is assistant': ({ message }) => assert.equal(message.role, 'assistant'),
  'refusal: refusal is null': ({ message }) => assert.equal(message.refusal, null),
  'content: content is a string': ({ message }) => assert.match(message.content ?? '', /Madrid/),
  'reasoning: reasoning_content is separate from content': ({ message }) => {
    assert.ok(message.reasoning_content)
    assert.ok(!message.content?.includes(message.reasoning_content))
    assert.doesNotMatch(message.content ?? '', /<\/?think>/)
  },
  'no-calls: tool_calls is absent when no tool is called': ({ message }) =>
    assert.ok(!('tool_calls' in message)),
  'usage: usage counts prompt, completion, cached and reasoning tokens': ({ completion }) => {
    const { prompt_tokens, completion_tokens, total_tokens } = completion.usage
    const { cached_tokens } = completion.usage.prompt_tokens_details
    const { reasoning_tokens } = completion.usage.completion_tokens_details
    expectCounts(prompt_tokens, completion_tokens, total_tokens, cached_tokens, reasoning_tokens)
  },
  'usage-total: total_tokens is the sum of prompt and completion': ({ completion }) => {
    const { prompt_tokens, completion_tokens, total_tokens } = completion.usage
    assert.equal(total_tokens, prompt_tokens + completion_tokens)
  },
  'usage-details: cached and reasoning tokens are parts of their counts': ({ completion }) => {
    const { usage } = completion
    assert.ok(usage.prompt_tokens_details.cached_tokens <= usage.prompt_tokens)
    const { reasoning_tokens } = usage.completion_tokens_details
    assert.ok(reasoning_tokens > 0 && reasoning_tokens < usage.completion_tokens)
  },
})

const TOOL_REPLIES = replyRules(TOOL_TURN, {
  'calls: a tool call has an id, a type, a name and arguments in JSON': ({ choice, message }) => {
    assert.equal(choice.finish_reason, 'tool_calls')
    const [call] = message.tool_calls ?? []
    assert.ok(call?.id)
    assert.equal(call.type, 'function')
    assert.equal(call.function.name, 'get_weather')
    assert.equal(typeof JSON.parse(call.function.arguments), 'object')
  },
  'calls-content: content is null when the turn only calls tools': ({ message }) =>
    assert.equal(message.content, null),
})

/** The answer of a scripted engine. */
async function replyOf(api: ContractApi, script: ScriptName, change: object = {}) {
  return readCompletion(await api.chat({ model: scriptedModel(script), ...change }))
}

const SCRIPTED_REPLIES = rules('reply', {
  'calls-reasoning: a tool-call step always has reasoning_content': async (api) => {
    const { message } = await replyOf(api, 'calls-without-reasoning', { tools: [WEATHER] })
    assert.equal(message.reasoning_content, '')
  },
  'calls-ids: each of several calls has an id of its own': async (api) => {
    const { message } = await replyOf(api, 'replays-tools', { tools: [WEATHER] })
    const ids = (message.tool_calls ?? []).map(({ id }) => id)
    assert.equal(ids.length, 2)
    assert.equal(new Set(ids).size, 2)
  },
  'filtered: finish_reason is content_filter when the engine says so': async (api) => {
    const { choice } = await replyOf(api, 'filters-content')
    assert.equal(choice.finish_reason, 'content_filter')
  },
})

async function complete(api: ContractApi, change: object = {}): Promise<Completion> {
  return readCompletion(await api.chat(change)).completion
}

const CONVERSATIONS = rules('reply', {
  'id-unique: every completion has an id of its own': async (api) => {
    const [one, two] = [await complete(api), await complete(api)]
    assert.ok(one.id)
    assert.notEqual(one.id, two.id)
  },
  'seeded: the same seed at temperature 0 gives the same text': async (api) => {
    const [one, two] = [await complete(api, TALK), await complete(api, TALK)]
    assert.deepEqual(one.choices, two.choices)
  },
  'echo: a tool-call turn and its result are accepted as they were returned': async (api) => {
    const { choices } = await complete(api, TOOL_TURN)
    const message = choices[0]?.message
    const id = message?.tool_calls?.[0]?.id
    const result = { role: 'tool', tool_call_id: id, content: '{"temperature": 21}' }
    const messages = [...RAIN.messages, message, result]
    for (const model of [MODEL, STRICT_MODEL])
      expectAccepted(await api.chat({ ...TOOL_TURN, model, messages }))
  },
  'media-type: a JSON answer is application/json': async (api) => {
    const { headers } = await api.chat()
    assert.match(headers['content-type'] ?? '', /^application\/json(;|$)/)
  },
  'engine-headers: no header of the client reaches the engine': async (api) => {
    const addressed = { cookie: 'a=b', 'x-forwarded-for': '1.2.3.4' }
    const headers = { 'x-conversation-id': 'c1', 'x-request-id': 'mine', ...addressed }
    expectAccepted(await api.chat({ model: scriptedModel('sends-comments') }, { headers }))
    const seen = Object.keys(api.engine.lastHead.get('sends-comments') ?? {})
    assert.ok(!seen.some((name) => name in headers), seen.join())
  },
  'engine-members: parameters with fixed values never reach the engine': async (api) => {
    const some = { n: 1, store: false, service_tier: 'auto', modalities: ['text'] }
    const fixed = { ...some, logprobs: false, logit_bias: {}, verbosity: 'medium' }
    expectAccepted(await api.chat({ model: scriptedModel('replays-length'), ...fixed }))
    const seen = Object.keys(api.engine.lastBody.get('replays-length') ?? {})
    assert.ok(!seen.some((name) => name in fixed), seen.join())
  },
  'case-of-media-type: Content-Type may carry a charset and any case': async (api) => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
      expectAccepted(await api.chat({}, { headers: { 'content-type': type } }))
  },
  'query: a query after the path changes nothing': async (api) => {
    const answer = await api.chat({}, { path: '/chat/completions?api-version=1' })
    assert.equal((readJson(answer) as Completion).object, 'chat.completion')
  },
})

export const REPLIES: readonly Rule[] = [
  ...TEXT_REPLIES,
  ...TOOL_REPLIES,
  ...SCRIPTED_REPLIES,
  ...CONVERSATIONS,
]
