import assert from 'node:assert/strict'
import { readJson, type Client } from '../../api/client.ts'
import { scriptedModel } from '../../harness/fake-engine/scripts.ts'
import { expectAccepted, MODEL, readCompletion, requestWith, type Rule } from './rule.ts'
import type { Completion, Usage } from './rule.ts'
import { WEATHER } from './tools.ts'

const CAPITAL = { messages: [{ role: 'user', content: 'What is the capital of Spain?' }] }
const RAIN = { messages: [{ role: 'user', content: 'What is the weather in Paris?' }] }
const LONG = { max_completion_tokens: 200, temperature: 0, seed: 7 }

export const TALK = { ...CAPITAL, ...LONG }
export const TOOL_TURN = { ...RAIN, ...LONG, tools: [WEATHER] }

type Reply = ReturnType<typeof readCompletion>

/** A rule about one JSON answer. */
function replyRule(
  id: string,
  name: string,
  judge: (reply: Reply) => void,
  change: object = TALK,
): Rule {
  return {
    id: `reply/${id}`,
    name,
    async check({ client }) {
      judge(readCompletion(await client.chat(requestWith(change))))
    },
  }
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0
}

function judgeUsage(usage: Usage): void {
  const { prompt_tokens, completion_tokens, total_tokens } = usage
  assert.ok([prompt_tokens, completion_tokens, total_tokens].every(isCount))
  assert.ok(isCount(usage.prompt_tokens_details.cached_tokens))
  assert.ok(isCount(usage.completion_tokens_details.reasoning_tokens))
}

const TEXT_REPLIES: readonly Rule[] = [
  replyRule('members', 'has exactly the listed members', ({ completion, choice }) => {
    const members = ['choices', 'created', 'id', 'model', 'object', 'usage']
    assert.deepEqual(Object.keys(completion).toSorted(), members)
    const inChoice = ['finish_reason', 'index', 'logprobs', 'message']
    assert.deepEqual(Object.keys(choice).toSorted(), inChoice)
  }),
  replyRule('object', 'object is chat.completion', ({ completion }) =>
    assert.equal(completion.object, 'chat.completion'),
  ),
  replyRule('created', 'created is the time in Unix seconds', ({ completion: { created } }) => {
    assert.ok(Number.isInteger(created))
    assert.ok(Math.abs(created - Date.now() / 1000) < 30)
  }),
  replyRule('model', 'model is the one that was asked for', ({ completion }) =>
    assert.equal(completion.model, MODEL),
  ),
  replyRule('choices', 'there is one choice, of index 0', ({ completion, choice }) => {
    assert.equal(completion.choices.length, 1)
    assert.equal(choice.index, 0)
  }),
  replyRule('logprobs', 'logprobs is null', ({ choice }) => assert.equal(choice.logprobs, null)),
  replyRule('finish', 'finish_reason is stop at a normal end', ({ choice }) =>
    assert.equal(choice.finish_reason, 'stop'),
  ),
  replyRule('role', 'role is assistant', ({ message }) => assert.equal(message.role, 'assistant')),
  replyRule('refusal', 'refusal is null', ({ message }) => assert.equal(message.refusal, null)),
  replyRule('content', 'content is a string', ({ message }) =>
    assert.match(message.content ?? '', /Madrid/),
  ),
  replyRule('reasoning', 'reasoning_content stands apart from content', ({ message }) => {
    assert.ok(message.reasoning_content)
    assert.ok(!message.content?.includes(message.reasoning_content))
    assert.doesNotMatch(message.content ?? '', /<\/?think>/)
  }),
  replyRule('no-calls', 'tool_calls is absent when no tool is called', ({ message }) =>
    assert.ok(!('tool_calls' in message)),
  ),
  replyRule('usage', 'usage counts prompt, completion, cached and reasoning tokens', (reply) =>
    judgeUsage(reply.completion.usage),
  ),
  replyRule('usage-total', 'total_tokens is the sum of prompt and completion', (reply) => {
    const { prompt_tokens, completion_tokens, total_tokens } = reply.completion.usage
    assert.equal(total_tokens, prompt_tokens + completion_tokens)
  }),
  replyRule('usage-details', 'cached and reasoning tokens are parts of their counts', (reply) => {
    const { usage } = reply.completion
    assert.ok(usage.prompt_tokens_details.cached_tokens <= usage.prompt_tokens)
    const { reasoning_tokens } = usage.completion_tokens_details
    assert.ok(reasoning_tokens > 0 && reasoning_tokens < usage.completion_tokens)
  }),
]

const TOOL_REPLIES: readonly Rule[] = [
  replyRule(
    'calls',
    'a tool call has an id, the type function, a name and arguments in JSON',
    ({ choice, message }) => {
      assert.equal(choice.finish_reason, 'tool_calls')
      const [call] = message.tool_calls ?? []
      assert.ok(call?.id)
      assert.equal(call.type, 'function')
      assert.equal(call.function.name, 'get_weather')
      assert.equal(typeof JSON.parse(call.function.arguments), 'object')
    },
    TOOL_TURN,
  ),
  replyRule(
    'calls-content',
    'content is null when the turn only calls tools',
    ({ message }) => assert.equal(message.content, null),
    TOOL_TURN,
  ),
  replyRule(
    'calls-reasoning',
    'a tool-call step carries reasoning_content even when the model gave none',
    ({ message }) => assert.equal(message.reasoning_content, ''),
    { model: scriptedModel('calls-without-reasoning'), tools: [WEATHER] },
  ),
  replyRule(
    'calls-ids',
    'each of several calls has an id of its own',
    ({ message }) => {
      const ids = (message.tool_calls ?? []).map(({ id }) => id)
      assert.equal(ids.length, 2)
      assert.equal(new Set(ids).size, 2)
    },
    { model: scriptedModel('replays-tools'), tools: [WEATHER] },
  ),
  replyRule(
    'filtered',
    'finish_reason is content_filter when the engine says so',
    ({ choice }) => assert.equal(choice.finish_reason, 'content_filter'),
    { model: scriptedModel('filters-content') },
  ),
]

async function complete(client: Client, change: object): Promise<Completion> {
  return readCompletion(await client.chat(requestWith(change))).completion
}

const CONVERSATIONS: readonly Rule[] = [
  {
    id: 'reply/id-unique',
    name: 'every completion has an id of its own',
    async check({ client }) {
      const ids = [await complete(client, {}), await complete(client, {})].map(({ id }) => id)
      assert.ok(ids[0])
      assert.notEqual(ids[0], ids[1])
    },
  },
  {
    id: 'reply/seeded',
    name: 'the same seed at temperature 0 gives the same text',
    async check({ client }) {
      const [one, two] = [await complete(client, TALK), await complete(client, TALK)]
      assert.deepEqual(one.choices, two.choices)
    },
  },
  {
    id: 'reply/echo',
    name: 'a tool-call turn and its result are accepted as they were returned',
    async check({ client }) {
      const { choices } = await complete(client, TOOL_TURN)
      const message = choices[0]?.message
      const id = message?.tool_calls?.[0]?.id
      const result = { role: 'tool', tool_call_id: id, content: '{"temperature": 21}' }
      const messages = [...RAIN.messages, message, result]
      for (const model of [MODEL, 'headrace/pebble-strict'])
        expectAccepted(await client.chat(requestWith({ ...TOOL_TURN, model, messages })))
    },
  },
  {
    id: 'reply/media-type',
    name: 'a JSON answer is application/json',
    async check({ client }) {
      const { headers } = await client.chat(requestWith({}))
      assert.match(headers['content-type'] ?? '', /^application\/json(;|$)/)
    },
  },
  {
    id: 'reply/engine-headers',
    name: 'no header of the client reaches the engine',
    async check({ client, engine }) {
      const headers = { 'x-conversation-id': 'c1', 'x-request-id': 'mine', cookie: 'a=b' }
      const model = scriptedModel('sends-comments')
      expectAccepted(await client.chat(requestWith({ model }), { headers }))
      const seen = Object.keys(engine.lastHead.get('sends-comments') ?? {})
      assert.deepEqual(
        seen.filter((name) => name in headers),
        [],
      )
    },
  },
  {
    id: 'reply/engine-members',
    name: 'parameters with fixed values never reach the engine',
    async check({ client, engine }) {
      const fixed = { n: 1, store: false, service_tier: 'auto', modalities: ['text'] }
      const more = { logprobs: false, logit_bias: {}, verbosity: 'medium' }
      const model = scriptedModel('replays-length')
      expectAccepted(await client.chat(requestWith({ model, ...fixed, ...more })))
      const seen = Object.keys(engine.lastBody.get('replays-length') ?? {})
      assert.deepEqual(
        seen.filter((name) => name in { ...fixed, ...more }),
        [],
      )
    },
  },
  {
    id: 'reply/case-of-media-type',
    name: 'Content-Type may carry a charset and any case',
    async check({ client }) {
      for (const type of ['application/json; charset=utf-8', 'Application/JSON'])
        expectAccepted(await client.chat(requestWith({}), { headers: { 'content-type': type } }))
    },
  },
  {
    id: 'reply/query',
    name: 'a query after the path changes nothing',
    async check({ client }) {
      const answer = await client.chat(requestWith({}), { path: '/chat/completions?api-version=1' })
      assert.equal((readJson(answer) as Completion).object, 'chat.completion')
    },
  },
]

export const REPLIES: readonly Rule[] = [...TEXT_REPLIES, ...TOOL_REPLIES, ...CONVERSATIONS]
