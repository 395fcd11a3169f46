import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelOn, startEnvironment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { openLine } from '../harness/clients/http-client.ts'
import { percentile } from '../harness/figures/measure.ts'

const PIECES = 40
/** Of the first reply. Each next one is slower by a millisecond, so that no two end together. */
const PIECE_MS = 50
const REPLIES = 12
/** Replies once had pauses between the reads, which added 67 ms. A busy machine adds some too. */
const ADDED_MS_MAX = 40

test('an idle process does not delay the end of a JSON reply of 2 s', async () => {
  const endedMs = new Map<string, number>()
  let begun = 0
  await using engine = await startFakeEngine(({ body, response }) => {
    const { messages } = body as { messages: { content: string }[] }
    begin(response).write(ROLE)
    let sent = 0
    const timer = setInterval(() => {
      response.write(chunk({ content: 'word ' }))
      sent += 1
      if (sent < PIECES) return
      clearInterval(timer)
      endedMs.set(messages[0]?.content ?? '', performance.now())
      response.end(ending({ prompt: 10, completion: PIECES }))
    }, PIECE_MS + begun++)
  })
  await using environment = await startEnvironment({ engines: [{ name: 'one', url: engine.url }] })
  const { key } = await environment.openCaller()
  await using line = openLine((await environment.startApi()).apiRoot, REPLIES)
  const ask = async (content: string) => {
    const messages = [{ role: 'user', content }]
    const reply = await line.chat(key, { model: modelOn('one'), messages })
    assert.equal(reply.status, 200)
    return reply.endedMs - (endedMs.get(content) ?? NaN)
  }
  await ask('Warm up')
  const asked = Array.from({ length: REPLIES }, (_, number) => ask(`Reply ${number}`))
  const addedMs = await Promise.all(asked)
  // A quarter: a machine with other work delays single replies by more.
  const quarter = percentile(addedMs, 0.25)
  assert.ok(quarter <= ADDED_MS_MAX, `${addedMs.map(Math.round).join(', ')} ms`)
})
