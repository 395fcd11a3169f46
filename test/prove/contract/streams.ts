import assert from 'node:assert/strict'
import { joinChunks, readStream, type Answer, type Chunk, type Client } from '../../api/client.ts'
import { scriptedModel, type ScriptName } from '../../harness/fake-engine/scripts.ts'
import { expectAccepted, expectError, MODEL, readCompletion, requestWith } from './rule.ts'
import type { Rule } from './rule.ts'
import { TALK, TOOL_TURN } from './replies.ts'
import { WEATHER } from './tools.ts'

const WITH_USAGE = { stream_options: { include_usage: true } }

async function stream(client: Client, change: object): Promise<Answer> {
  const answer = await client.chat(requestWith({ ...change, stream: true }))
  expectAccepted(answer)
  return answer
}

async function readWhole(client: Client, change: object): Promise<readonly Chunk[]> {
  const { chunks, errors, done } = readStream(await stream(client, change))
  assert.deepEqual(errors, [])
  assert.ok(done, 'the end marker')
  return chunks
}

/** A rule about the chunks of one whole stream. */
function chunkRule(
  id: string,
  name: string,
  judge: (chunks: readonly Chunk[]) => void,
  change: object = TALK,
): Rule {
  return {
    id: `chunk/${id}`,
    name,
    async check({ client }) {
      judge(await readWhole(client, change))
    },
  }
}

function all(what: string, holds: (chunk: Chunk, index: number) => boolean) {
  return (chunks: readonly Chunk[]) => {
    assert.ok(chunks.length > 3)
    const fault = chunks.find((chunk, index) => !holds(chunk, index))
    assert.equal(fault, undefined, what)
  }
}

function constant(member: 'id' | 'created' | 'model') {
  return (chunks: readonly Chunk[]) =>
    assert.equal(new Set(chunks.map((chunk) => chunk[member])).size, 1)
}

function deltas(chunks: readonly Chunk[]) {
  return chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
}

const CHUNKS: readonly Rule[] = [
  chunkRule('id', 'id is the same in every chunk', constant('id')),
  chunkRule('created', 'created is the same in every chunk', constant('created')),
  chunkRule('model', 'model is the one that was asked for', (chunks) => {
    constant('model')(chunks)
    assert.equal(chunks[0]?.model, MODEL)
  }),
  chunkRule(
    'object',
    'object is chat.completion.chunk',
    all('object', ({ object }) => object === 'chat.completion.chunk'),
  ),
  chunkRule(
    'members',
    'a chunk has exactly the listed members',
    all('members', (chunk) => {
      const known = ['choices', 'created', 'id', 'model', 'obfuscation', 'object', 'usage']
      return Object.keys(chunk).toSorted().join() === known.join()
    }),
  ),
  chunkRule('role', 'role stands on the first chunk and on no other', (chunks) => {
    const [first, ...rest] = deltas(chunks)
    assert.equal(first?.role, 'assistant')
    assert.ok(rest.every((delta) => !('role' in delta)))
  }),
  chunkRule('order', 'reasoning comes before content', (chunks) => {
    const kinds = deltas(chunks).map((delta) => Object.keys(delta)[0])
    const lastReasoning = kinds.lastIndexOf('reasoning_content')
    assert.ok(lastReasoning !== -1 && lastReasoning < kinds.indexOf('content'))
  }),
  chunkRule(
    'finish',
    'the last chunk of the choice has the reason and an empty delta',
    (chunks) => {
      const last = chunks.at(-1)?.choices[0]
      assert.deepEqual(last?.delta, {})
      assert.equal(last?.finish_reason, 'stop')
    },
  ),
  chunkRule('finish-null', 'finish_reason is null before the last chunk', (chunks) =>
    assert.ok(chunks.slice(0, -1).every(({ choices }) => choices[0]?.finish_reason === null)),
  ),
  chunkRule(
    'usage-null',
    'usage is null on every chunk when it was not asked for',
    all('usage', ({ usage }) => usage === null),
  ),
  chunkRule(
    'choices',
    'without a usage chunk every chunk has one choice of index 0',
    all('choices', ({ choices }) => choices.length === 1 && choices[0]?.index === 0),
  ),
  chunkRule(
    'usage-false',
    'include_usage false asks for no usage chunk',
    all('usage', ({ usage, choices }) => usage === null && choices.length === 1),
    { ...TALK, stream_options: { include_usage: false } },
  ),
  chunkRule(
    'usage',
    'the usage chunk is the last one, without choices, and the only one with usage',
    (chunks) => {
      const last = chunks.at(-1)
      assert.deepEqual(last?.choices, [])
      assert.ok(last?.usage)
      const others = chunks.slice(0, -1)
      assert.ok(others.every(({ usage, choices }) => usage === null && choices.length === 1))
    },
    { ...TALK, ...WITH_USAGE },
  ),
  chunkRule(
    'obfuscation',
    'obfuscation stands on every chunk by default, the usage chunk included',
    all('obfuscation', ({ obfuscation }) => typeof obfuscation === 'string'),
    { ...TALK, ...WITH_USAGE },
  ),
  chunkRule(
    'obfuscation-off',
    'obfuscation is absent when it is switched off',
    all('obfuscation', (chunk) => !('obfuscation' in chunk)),
    { ...TALK, stream_options: { include_obfuscation: false } },
  ),
  chunkRule(
    'calls',
    'the first fragment of a call has id, type and name, the others only arguments',
    (chunks) => {
      const [first, ...rest] = deltas(chunks).flatMap(({ tool_calls }) => tool_calls ?? [])
      assert.ok(first?.id && first.function?.name === 'get_weather')
      assert.deepEqual([first.index, first.type], [0, 'function'])
      // There are none when the whole call came in one read.
      for (const fragment of rest)
        assert.deepEqual(Object.keys(fragment).toSorted(), ['function', 'index'])
    },
    TOOL_TURN,
  ),
  chunkRule(
    'calls-arguments',
    'fragments of arguments add up to JSON, and the reason is tool_calls',
    (chunks) => {
      const { calls, finish } = joinChunks(chunks)
      assert.equal(finish, 'tool_calls')
      assert.equal(typeof JSON.parse(calls[0]?.arguments ?? ''), 'object')
    },
    TOOL_TURN,
  ),
  chunkRule(
    'calls-indexes',
    'several calls are numbered from 0 in the order in which they open',
    (chunks) => {
      const fragments = deltas(chunks).flatMap(({ tool_calls }) => tool_calls ?? [])
      const opened = fragments.filter(({ id }) => id !== undefined).map(({ index }) => index)
      assert.deepEqual(opened, [0, 1])
    },
    { model: scriptedModel('replays-tools'), tools: [WEATHER] },
  ),
  chunkRule(
    'finish-split',
    'a finish that the engine sends with text gets a chunk of its own',
    (chunks) => {
      assert.deepEqual(chunks.at(-1)?.choices[0]?.delta, {})
      assert.equal(joinChunks(chunks).content, 'Some text')
    },
    { model: scriptedModel('finishes-with-text') },
  ),
]

/** Both forms of one recorded generation, told in full. Ids of calls are new each time. */
function sameForms(script: ScriptName): Rule {
  return {
    id: `forms/${script}`,
    name: `a stream and a JSON answer of ${script} tell the same, usage included`,
    async check({ client }) {
      const change = { model: scriptedModel(script), tools: [WEATHER] }
      const joined = joinChunks(await readWhole(client, { ...change, ...WITH_USAGE }))
      const { completion, choice, message } = readCompletion(await client.chat(requestWith(change)))
      assert.equal(joined.content, message.content)
      assert.equal(joined.reasoning, message.reasoning_content)
      assert.equal(joined.finish, choice.finish_reason)
      assert.deepEqual(joined.usage, completion.usage)
      const told = (message.tool_calls ?? []).map((call) => call.function)
      assert.deepEqual(
        joined.calls.map(({ name, arguments: text }) => ({ name, arguments: text })),
        told,
      )
    },
  }
}

function sameGeneration(what: string, change: object): Rule {
  return {
    id: `forms/${what}`,
    name: `a stream and a JSON answer of the same seed tell the same ${what}`,
    async check({ client }) {
      const joined = joinChunks(await readWhole(client, change))
      const { choice, message } = readCompletion(await client.chat(requestWith(change)))
      const { content, reasoning_content: reasoning } = message
      assert.deepEqual([joined.content, joined.reasoning], [content, reasoning])
      assert.equal(joined.finish, choice.finish_reason)
      assert.equal(joined.calls[0]?.arguments, message.tool_calls?.[0]?.function.arguments)
    },
  }
}

const WIRE: readonly Rule[] = [
  {
    id: 'stream/media-type',
    name: 'a stream is text/event-stream that nobody may buffer or change',
    async check({ client }) {
      const { headers } = await stream(client, {})
      assert.match(headers['content-type'] ?? '', /^text\/event-stream(;|$)/)
      assert.match(headers['cache-control'] ?? '', /no-cache/)
    },
  },
  {
    id: 'stream/end',
    name: 'the stream ends with the end marker, right after the usage chunk when asked for',
    async check({ client }) {
      const { text } = await stream(client, WITH_USAGE)
      const [usage, end, nothing] = text.split('\n\n').slice(-3)
      assert.match(usage ?? '', /"choices":\[\],"usage":\{/)
      assert.deepEqual([end, nothing], ['data: [DONE]', ''])
    },
  },
  {
    id: 'stream/padding',
    name: 'padded events come in sizes of 64 bytes, so that their size tells little',
    async check({ client }) {
      const { text } = await stream(client, { ...TALK, ...WITH_USAGE })
      const events = text.split('\n\n').slice(0, -2)
      const sizes = events.map((event) => Buffer.byteLength(`${event}\n\n`))
      assert.deepEqual(
        sizes.filter((size) => size % 64 !== 0),
        [],
      )
    },
  },
  {
    id: 'stream/refused',
    name: 'a streamed request that is invalid gets the status and a JSON body',
    async check({ client }) {
      const answer = await client.chat(requestWith({ stream: true, temperature: 3 }))
      expectError(answer, 'invalid_value', 'temperature')
    },
  },
  {
    id: 'stream/comments-dropped',
    name: 'comments of the engine do not disturb a stream',
    async check({ client }) {
      const chunks = await readWhole(client, { model: scriptedModel('sends-comments') })
      assert.equal(joinChunks(chunks).content, 'Some text')
    },
  },
]

export const STREAMS: readonly Rule[] = [
  ...CHUNKS,
  ...WIRE,
  ...(['replays-text', 'replays-length', 'replays-utf8', 'splits-bytes'] as const).map(sameForms),
  ...(['replays-tools', 'calls-without-reasoning'] as const).map(sameForms),
  sameGeneration('text', TALK),
  sameGeneration('tool call', TOOL_TURN),
]
