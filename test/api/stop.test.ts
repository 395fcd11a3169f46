import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import type { Config } from '../../src/config/load.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { startService } from '../harness/processes/service.ts'
import { createClient, readError, readJson, readStream } from './client.ts'
import { until } from './start.ts'

const SCRIPTED = 'test/scripted'
const REAL = 'test/real'
const TIMEOUT_MS = 60_000

/** What the scripted engine sends next; without an ending it waits for ever. */
let script: readonly string[] = []

/** A piece, and how many tokens the engine has generated with it. */
function counted(delta: object, tokens: number): string {
  return chunk(delta, null, { timings: { prompt_n: 7, cache_n: 0, predicted_n: tokens } })
}

function applying(config: Config): Config {
  const [model] = config.models
  const [real] = config.engines
  assert.ok(model && real)
  const scripted = { name: 'scripted', kind: 'llama-server', url: engine.url, slots: 4 } as const
  const { price: _, ...plain } = model
  return {
    ...config,
    engines: [real, { ...scripted, prompt_cache: 'none' }],
    models: [
      { ...plain, id: REAL, engines: [{ name: real.name, weight: 1 }], stop: 'applied' },
      { ...plain, id: SCRIPTED, engines: [{ name: 'scripted', weight: 1 }], stop: 'applied' },
    ],
  }
}

const engine = await startFakeEngine(({ response }) => {
  begin(response)
  for (const event of script) response.write(event)
  if (script.at(-1)?.includes('[DONE]') === true) response.end()
})
const service = await startService(applying)
const client = createClient(service, (await service.createCaller()).key)

endWithFile(client, service, engine)

type Message = {
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly object[]
}

type Reply = {
  readonly choices: readonly [{ message: Message; finish_reason: string }]
  readonly usage: { readonly completion_tokens: number }
}

async function ask(change: object) {
  const messages = [{ role: 'user', content: 'Go on' }]
  const answer = await client.chat({ model: SCRIPTED, messages, max_tokens: 100, ...change })
  assert.equal(answer.status, 200, answer.text)
  return answer
}

async function complete(change: object) {
  const { choices, usage } = readJson(await ask(change)) as Reply
  return { ...choices[0].message, finish: choices[0].finish_reason, usage }
}

test('an answer ends before the string, over borders of pieces, and stops the engine', async () => {
  const pieces = ['One\n', 'Obser', 'vation', ': two', ' three']
  script = [ROLE, ...pieces.map((content, at) => counted({ content }, at + 1))]
  const stop = ['Observation:', 'never']
  const { content, finish, usage } = await complete({ stop })
  assert.deepEqual([content, finish], ['One\n', 'stop'])
  // The engine had generated four tokens when the string was complete.
  assert.equal(usage.completion_tokens, 4)
  await until('the engine is left', () => engine.running === 0, TIMEOUT_MS)

  const streamed = await ask({ stop, stream: true, stream_options: { include_usage: true } })
  assert.equal(streamed.headers['x-ignored-parameters'], undefined)
  const { chunks, done, errors } = readStream(streamed)
  const text = chunks.map((each) => each.choices[0]?.delta.content ?? '').join('')
  const reasons = chunks.flatMap((each) => each.choices[0]?.finish_reason ?? [])
  assert.deepEqual([text, reasons, done, errors], ['One\n', ['stop'], true, []])
  assert.match(JSON.stringify(chunks.at(-1)?.usage), /"completion_tokens":4/)
  await until('the engine is left', () => engine.running === 0, TIMEOUT_MS)
})

test('neither reasoning nor the arguments of a call end at the string', async () => {
  const call = { index: 0, id: 'a', function: { name: 'say', arguments: '{"text":"END"}' } }
  script = [
    ROLE,
    counted({ reasoning_content: 'thinking END of it' }, 1),
    counted({ content: 'Text E' }, 2),
    counted({ tool_calls: [call] }, 3),
    ending({ prompt: 7, completion: 3 }, 'tool_calls'),
  ]
  const tools = [{ type: 'function', function: { name: 'say', parameters: { type: 'object' } } }]
  const reply = await complete({ stop: 'END', tools })
  assert.deepEqual(
    [reply.reasoning_content, reply.content, reply.finish],
    ['thinking END of it', 'Text E', 'tool_calls'],
  )
  assert.match(JSON.stringify(reply.tool_calls), /END/)
})

test('newlines between reasoning and answer are no answer that could end', async () => {
  script = [
    ROLE,
    counted({ reasoning_content: 'thought' }, 1),
    counted({ content: '\n\n' }, 2),
    counted({ content: 'first\n' }, 3),
    counted({ content: '\nsecond' }, 4),
  ]
  const { content, finish } = await complete({ stop: '\n\n' })
  assert.deepEqual([content, finish], ['first', 'stop'])
})

test('a forced tool call is not ended, and the response says that stop was ignored', async () => {
  const call = { index: 0, id: 'a', function: { name: 'say', arguments: '{}' } }
  const done = ending({ prompt: 7, completion: 2 }, 'tool_calls')
  script = [ROLE, counted({ content: 'END' }, 1), counted({ tool_calls: [call] }, 2), done]
  const tools = [{ type: 'function', function: { name: 'say', parameters: { type: 'object' } } }]
  const answer = await ask({ stop: 'END', tools, tool_choice: 'required' })
  assert.equal(answer.headers['x-ignored-parameters'], 'stop')
})

test('400: a string that is too long to look for', async () => {
  const messages = [{ role: 'user', content: 'Go on' }]
  const stop = ['x', 'y'.repeat(1_025)]
  const answer = await client.chat({ model: SCRIPTED, messages, stop })
  assert.equal(answer.status, 400)
  assert.deepEqual([readError(answer).code, readError(answer).param], ['invalid_value', 'stop'])
})

test('llama-server: the answer is the one without stop, up to the string', async () => {
  const asked = { model: REAL, temperature: 0, seed: 1, max_tokens: 60 }
  const whole = (await complete(asked)).content ?? ''
  const stop = whole.slice(Math.floor(whole.length / 2)).slice(0, 4)
  assert.equal(stop.length, 4, whole)
  const { content, finish } = await complete({ ...asked, stop })
  const expected = whole.slice(0, whole.indexOf(stop))
  assert.deepEqual([content ?? '', finish], [expected, 'stop'])
})
