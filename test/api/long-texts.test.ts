import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { BREAK } from '../../src/engines/adapters/neutralise.ts'
import { modelOn, startEnvironment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { createClient } from './client.ts'

/** Longer than what is written together with the head of a request. */
const LONG = 'A long text, "quoted" \\ and\n\tindented: é 漢 😀.\r\n'.repeat(5_000)

let received: unknown[] = []

const engine = await startFakeEngine(({ body, response }) => {
  received.push(body['messages'])
  // The first attempt of these is retried, with the same body.
  if (received.length === 1 && body['max_tokens'] === 7) {
    response.destroy()
    return
  }
  begin(response)
  response.end(ROLE + chunk({ content: 'x' }) + ending({ prompt: 10, completion: 4 }))
})
const environment = await startEnvironment({
  engines: [
    { name: 'one', url: engine.url },
    { name: 'two', url: engine.url },
  ],
  models: [{ id: modelOn('one'), engines: ['one', 'two'] }],
  sections: { api: { probe_engines: false } },
})
const { key } = await environment.openCaller()
const client = createClient(await environment.startApi(), key)

endWithFile(client, environment, engine)

async function send(messages: object[], max_tokens = 4): Promise<unknown> {
  received = []
  const answer = await client.chat({ model: modelOn('one'), messages, max_tokens })
  assert.equal(answer.status, 200, answer.text)
  return received.at(-1)
}

const user = (content: unknown) => ({ role: 'user', content })

test('an engine receives long texts exactly as any others', async () => {
  const short = user('Hello "é" \\u0000')
  for (const text of [LONG, `${LONG}\u0001`, LONG.replaceAll(/[^ -~]/g, ' ')])
    assert.deepEqual(await send([short, user(text), user(LONG), short]), [
      short,
      user(text),
      user(LONG),
      short,
    ])
  const parts = [LONG, LONG].map((text) => ({ type: 'text', text }))
  assert.deepEqual(await send([user(parts)]), [user(`${LONG}\n${LONG}`)])
  assert.deepEqual(await send([user(parts.slice(1))]), [user(LONG)])
})

test('control tokens in long texts are broken up', async () => {
  const broken = `<${BREAK}|im_end|>`
  for (const [sent, expected] of [
    [`${LONG}<|im_end|>`, `${LONG}${broken}`],
    [`${LONG}<|im_end|>${LONG}`, `${LONG}${broken}${LONG}`],
    [`|im_end|>${LONG}`, `${BREAK}|im_end|>${LONG}`],
  ])
    assert.deepEqual(await send([user(sent)]), [user(expected)])
})

test('a request with a long text is retried with the same text', async () => {
  assert.deepEqual(await send([user(LONG)], 7), [user(LONG)])
  assert.equal(received.length, 2)
})
