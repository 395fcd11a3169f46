import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, describe, test } from 'node:test'
import { requireStack } from '../harness/processes/service.ts'
import { SCRIPTED_SLOTS, scriptedModel, type ScriptName } from '../harness/fake-engine/scripts.ts'
import { joinChunks, readJson, readStream } from './client.ts'
import { openChat, request, startApi, until, type Api } from './start.ts'

/** The schema keeps the generation going until its limit, which takes the demo model seconds. */
const ENDLESS = {
  messages: [{ role: 'user', content: 'Count from 1 to 1000.' }],
  max_completion_tokens: 2_048,
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'numbers',
      schema: { type: 'array', items: { type: 'integer' }, minItems: 1_000 },
    },
  },
}

/** Far less than an endless generation takes. */
const FREED_MS = 1_000

/** Bound on unread bytes: the buffers of sockets and streams on both sides. */
const UNREAD_BYTES_MAX = 32 * 1024 * 1024
/** After this many turns of the event loop without a byte, the engine counts as stopped. */
const QUIET_TURNS = 2_000

/** Whether the real engine runs a generation with this seed. Other tests share the engine. */
async function isGenerating(seed: number): Promise<boolean> {
  const { url, apiKey } = requireStack().engine
  const answer = await fetch(`${url}/slots`, { headers: { authorization: `Bearer ${apiKey}` } })
  const slots = (await answer.json()) as { is_processing: boolean; params?: { seed: number } }[]
  return slots.some((slot) => slot.is_processing && slot.params?.seed === seed)
}

function newSeed(): number {
  return 1 + Math.floor(Math.random() * 2 ** 30)
}

const api = await startApi()
after(() => api[Symbol.asyncDispose]())

describe('streams', () => {
  test('200: stream and JSON of one generation have the same content and usage', async () => {
    for (const script of ['replays-text', 'replays-tools', 'replays-utf8'] as const) {
      const change = { model: scriptedModel(script) }
      const streaming = { stream: true, stream_options: { include_usage: true } }
      const streamed = readStream(await api.client.chat(request({ ...change, ...streaming })))
      assert.ok(streamed.done)
      const joined = joinChunks(streamed.chunks)
      const { choices, usage } = readJson(await api.client.chat(request(change))) as {
        choices: [{ message: { content: string | null; reasoning_content?: string } }]
        usage: object
      }
      assert.equal(joined.content, choices[0].message.content)
      assert.equal(joined.reasoning, choices[0].message.reasoning_content)
      assert.deepEqual(joined.usage, usage)
    }
  })

  test('200: the first event is sent before the engine has finished', async () => {
    const leaving = new AbortController()
    const change = { model: scriptedModel('stops-talking'), stream: true }
    const { status, beginning } = await openChat(api, request(change), leaving.signal)
    assert.equal(status, 200)
    assert.match(beginning, /"role":"assistant"/)
    assert.equal(api.engine.runningOf('stops-talking'), 1)
    leaving.abort()
    await until('the engine has stopped', () => api.engine.runningOf('stops-talking') === 0)
  })

  test('a client that disconnects mid-stream frees the slot of the real engine', async () => {
    const leaving = new AbortController()
    const seed = newSeed()
    await openChat(api, request({ ...ENDLESS, seed, stream: true }), leaving.signal)
    assert.ok(await isGenerating(seed))
    leaving.abort()
    await until('the slot is free', async () => !(await isGenerating(seed)), FREED_MS)
  })

  test('a client that disconnects before its JSON response frees the slot too', async () => {
    const leaving = new AbortController()
    const seed = newSeed()
    const answer = openChat(api, request({ ...ENDLESS, seed }), leaving.signal)
    await until('the engine has begun', () => isGenerating(seed))
    leaving.abort()
    await assert.rejects(answer)
    await until('the slot is free', async () => !(await isGenerating(seed)), FREED_MS)
  })

  test('200: a finished generation is complete even without the engine’s end marker', async () => {
    const usage = { stream_options: { include_usage: true } }
    const change = { model: scriptedModel('never-says-done'), stream: true, ...usage }
    const actual = readStream(await api.client.chat(request(change)))
    const whole = { ...change, model: scriptedModel('replays-text') }
    const expected = readStream(await api.client.chat(request(whole)))
    assert.equal(actual.done, true)
    assert.deepEqual(joinChunks(actual.chunks), joinChunks(expected.chunks))
  })

  for (const script of ['says-nothing', 'stops-talking'] satisfies ScriptName[]) {
    test(`engine that ${script}: clients that disconnect free their slots`, async () => {
      for (let round = 0; round < 2; round += 1) {
        const leaving = new AbortController()
        const change = { model: scriptedModel(script), stream: true }
        const requests = Array.from({ length: SCRIPTED_SLOTS }, () =>
          openChat(api, request(change), leaving.signal).catch(() => undefined),
        )
        await until('all slots taken', () => api.engine.runningOf(script) === SCRIPTED_SLOTS)
        leaving.abort()
        await Promise.all(requests)
        await until('the engine has stopped', () => api.engine.runningOf(script) === 0)
      }
    })
  }

  test('backpressure: the engine is not read while the client does not read', async () => {
    const { hostname, port, pathname } = new URL(api.service.apiRoot)
    const endless = { model: scriptedModel('pours'), max_completion_tokens: 1_000_000 }
    const body = JSON.stringify(request({ ...endless, stream: true }))
    const head = [
      `POST ${pathname}/chat/completions HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${api.key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    const socket = connect(Number(port), hostname)
    try {
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
      socket.pause()
      await until('the engine pours', () => api.engine.runningOf('pours') === 1)
      assert.ok((await bytesUntilQuiet(api)) > 0)
      assert.equal(api.engine.runningOf('pours'), 1)
    } finally {
      socket.destroy()
    }
    await until('the engine has stopped', () => api.engine.runningOf('pours') === 0)
  })
})

/** The bytes that the engine has written when it writes no more. */
async function bytesUntilQuiet({ engine }: Api): Promise<number> {
  let quiet = 0
  let written = 0
  while (quiet < QUIET_TURNS) {
    await new Promise(setImmediate)
    const now = engine.bytesWritten()
    quiet = now === written ? quiet + 1 : 0
    written = now
    assert.ok(written < UNREAD_BYTES_MAX, 'the engine goes on although the client does not read')
  }
  return written
}
