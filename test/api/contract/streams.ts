import assert from 'node:assert/strict'
import { joinChunks, readStream, type Answer, type Chunk } from '../client.ts'
import { scriptedModel, type ScriptName } from '../../harness/fake-engine/scripts.ts'
import { TALK, TOOL_TURN } from './replies.ts'
import { expectAccepted, expectError, MODEL, readCompletion, type Rule, rules } from './rule.ts'
import type { ContractApi } from './start.ts'
import { WEATHER } from './tools.ts'

const WITH_USAGE = { stream_options: { include_usage: true } }

async function stream(api: ContractApi, change: object): Promise<Answer> {
  const answer = await api.chat({ ...change, stream: true })
  expectAccepted(answer)
  return answer
}

type Chunks = readonly Chunk[]

async function readWhole(api: ContractApi, change: object): Promise<Chunks> {
  const { chunks, errors, done } = readStream(await stream(api, change))
  assert.deepEqual(errors, [])
  assert.ok(done, 'the end marker')
  return chunks
}

type Judge = (chunks: Chunks) => void

/** Rules about the chunks of one whole stream. */
function chunkRules(change: object, judges: Readonly<Record<string, Judge>>): Rule[] {
  return Object.entries(judges).flatMap(([title, judge]) =>
    rules('chunk', { [title]: async (api) => judge(await readWhole(api, change)) }),
  )
}

function expectAll(chunks: Chunks, holds: (chunk: Chunk) => boolean): void {
  assert.ok(chunks.length > 3)
  const other = chunks.find((chunk) => !holds(chunk))
  assert.equal(other, undefined)
}

function constant(member: 'id' | 'created' | 'model'): Judge {
  return (chunks) => assert.equal(new Set(chunks.map((chunk) => chunk[member])).size, 1)
}

function deltas(chunks: Chunks) {
  return chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
}

function fragments(chunks: Chunks) {
  return deltas(chunks).flatMap(({ tool_calls }) => tool_calls ?? [])
}

const MEMBERS = ['choices', 'created', 'id', 'model', 'obfuscation', 'object', 'usage']

const CHUNKS: readonly Rule[] = [
  ...chunkRules(TALK, {
    'id: id is the same in every chunk': constant('id'),
    'created: created is the same in every chunk': constant('created'),
    'model: model is the one that was asked for': (chunks) => {
      constant('model')(chunks)
      assert.equal(chunks[0]?.model, MODEL)
    },
    'object: object is chat.completion.chunk': (chunks) =>
      expectAll(chunks, ({ object }) => object === 'chat.completion.chunk'),
    'members: a chunk has exactly the listed members': (chunks) =>
      expectAll(chunks, (chunk) => Object.keys(chunk).toSorted().join() === MEMBERS.join()),
    'role: role is on the first chunk and on no other': (chunks) => {
      const [first, ...rest] = deltas(chunks)
      assert.equal(first?.role, 'assistant')
      assert.ok(rest.every((delta) => !('role' in delta)))
    },
    'order: reasoning comes before content': (chunks) => {
      const kinds = deltas(chunks).map((delta) => Object.keys(delta)[0])
      const lastReasoning = kinds.lastIndexOf('reasoning_content')
      assert.ok(lastReasoning !== -1 && lastReasoning < kinds.indexOf('content'))
    },
    'finish: the last chunk of the choice has the reason and an empty delta': (chunks) => {
      const last = chunks.at(-1)?.choices[0]
      assert.deepEqual(last?.delta, {})
      assert.equal(last?.finish_reason, 'stop')
    },
    'finish-null: finish_reason is null before the last chunk': (chunks) =>
      assert.ok(chunks.slice(0, -1).every(({ choices }) => choices[0]?.finish_reason === null)),
    'usage-null: usage is null on every chunk when it was not asked for': (chunks) =>
      expectAll(chunks, ({ usage }) => usage === null),
    'choices: without a usage chunk every chunk has one choice of index 0': (chunks) =>
      expectAll(chunks, ({ choices }) => choices.length === 1 && choices[0]?.index === 0),
  }),
  ...chunkRules(TOOL_TURN, {
    'calls: the first fragment of a call has id, type and name, the others arguments': (chunks) => {
      const [first, ...rest] = fragments(chunks)
      assert.ok(first?.id && first.function?.name === 'get_weather')
      assert.deepEqual([first.index, first.type], [0, 'function'])
      // There are none when the whole call came in one read.
      for (const fragment of rest)
        assert.deepEqual(Object.keys(fragment).toSorted(), ['function', 'index'])
    },
    'calls-arguments: fragments of arguments add up to JSON': (chunks) => {
      const { calls, finish } = joinChunks(chunks)
      assert.equal(finish, 'tool_calls')
      assert.equal(typeof JSON.parse(calls[0]?.arguments ?? ''), 'object')
    },
  }),
  ...rules('chunk', {
    'usage-false: include_usage false asks for no usage chunk': async (api) => {
      const chunks = await readWhole(api, { ...TALK, stream_options: { include_usage: false } })
      expectAll(chunks, ({ usage, choices }) => usage === null && choices.length === 1)
    },
    'usage: the last chunk has no choices and is the only one with usage': async (api) => {
      const chunks = await readWhole(api, { ...TALK, ...WITH_USAGE })
      const last = chunks.at(-1)
      assert.deepEqual(last?.choices, [])
      assert.ok(last?.usage)
      const others = chunks.slice(0, -1)
      assert.ok(others.every(({ usage, choices }) => usage === null && choices.length === 1))
    },
    'obfuscation: obfuscation is on every chunk by default, usage included': async (api) => {
      const chunks = await readWhole(api, { ...TALK, ...WITH_USAGE })
      expectAll(chunks, ({ obfuscation }) => typeof obfuscation === 'string')
    },
    'obfuscation-off: obfuscation is absent when it is switched off': async (api) => {
      const off = { stream_options: { include_obfuscation: false } }
      const chunks = await readWhole(api, { ...TALK, ...off })
      expectAll(chunks, (chunk) => !('obfuscation' in chunk))
    },
    'calls-indexes: calls are numbered from 0 in the order in which they open': async (api) => {
      const change = { model: scriptedModel('replays-tools'), tools: [WEATHER] }
      const opened = fragments(await readWhole(api, change)).filter(({ id }) => id !== undefined)
      assert.deepEqual([opened.length, opened[0]?.index, opened[1]?.index], [2, 0, 1])
    },
    'finish-split: a finish that the engine sends with text gets its own chunk': async (api) => {
      const chunks = await readWhole(api, { model: scriptedModel('finishes-with-text') })
      assert.deepEqual(chunks.at(-1)?.choices[0]?.delta, {})
      assert.equal(joinChunks(chunks).content, 'Some text')
    },
  }),
]

/** Both forms of one recorded generation. Ids of calls are new each time. */
function sameForms(script: ScriptName): Rule {
  return {
    id: `forms/${script}`,
    name: `a stream and a JSON answer of ${script} say the same, usage included`,
    async check(api) {
      const change = { model: scriptedModel(script), tools: [WEATHER] }
      const joined = joinChunks(await readWhole(api, { ...change, ...WITH_USAGE }))
      const { completion, choice, message } = readCompletion(await api.chat(change))
      assert.equal(joined.content, message.content)
      assert.equal(joined.reasoning, message.reasoning_content)
      assert.equal(joined.finish, choice.finish_reason)
      assert.deepEqual(joined.usage, completion.usage)
      assert.deepEqual(
        joined.calls.map(({ name, arguments: text }) => ({ name, arguments: text })),
        (message.tool_calls ?? []).map((call) => call.function),
      )
    },
  }
}

function sameGeneration(what: string, change: object): Rule {
  return {
    id: `forms/${what}`,
    name: `a stream and a JSON answer of the same seed say the same ${what}`,
    async check(api) {
      const joined = joinChunks(await readWhole(api, change))
      const { choice, message } = readCompletion(await api.chat(change))
      const { content, reasoning_content: reasoning } = message
      assert.deepEqual([joined.content, joined.reasoning], [content, reasoning])
      assert.equal(joined.finish, choice.finish_reason)
      assert.equal(joined.calls[0]?.arguments, message.tool_calls?.[0]?.function.arguments)
    },
  }
}

const WIRE = rules('stream', {
  'media-type: a stream is text/event-stream that must not be cached': async (api) => {
    const { headers } = await stream(api, {})
    assert.match(headers['content-type'] ?? '', /^text\/event-stream(;|$)/)
    assert.match(headers['cache-control'] ?? '', /no-cache/)
  },
  'end: the stream ends with the end marker, right after the usage chunk': async (api) => {
    const { text } = await stream(api, WITH_USAGE)
    const [usage, end, nothing] = text.split('\n\n').slice(-3)
    assert.match(usage ?? '', /"choices":\[\],"usage":\{/)
    assert.deepEqual([end, nothing], ['data: [DONE]', ''])
  },
  'padding: padded events come in sizes of 64 bytes': async (api) => {
    const { text } = await stream(api, { ...TALK, ...WITH_USAGE })
    const events = text.split('\n\n').slice(0, -2)
    const sizes = events.map((event) => Buffer.byteLength(`${event}\n\n`))
    assert.ok(
      sizes.every((size) => size % 64 === 0),
      sizes.join(),
    )
  },
  'refused: a streamed request that is invalid gets the status and a JSON body': async (api) => {
    const answer = await api.chat({ stream: true, temperature: 3 })
    expectError(answer, 'invalid_value', 'temperature')
  },
  'comments-dropped: comments of the engine do not disturb a stream': async (api) => {
    const chunks = await readWhole(api, { model: scriptedModel('sends-comments') })
    assert.equal(joinChunks(chunks).content, 'Some text')
  },
})

export const STREAMS: readonly Rule[] = [
  ...CHUNKS,
  ...WIRE,
  ...(['replays-text', 'replays-length', 'replays-utf8', 'splits-bytes'] as const).map(sameForms),
  ...(['replays-tools', 'calls-without-reasoning'] as const).map(sameForms),
  sameGeneration('text', TALK),
  sameGeneration('tool call', TOOL_TURN),
]
