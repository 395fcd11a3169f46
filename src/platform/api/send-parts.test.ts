import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { waitUntil } from '../../../test/harness/measure.ts'
import { abortOnDisconnect, ClientGone, type Call } from '../../http/call.ts'
import { sendParts } from './send-parts.ts'

const PART = 'x'.repeat(1024 * 1024)
const PARTS_MAX = 300

test('nothing is read ahead for a client that does not read, or that is gone', async (t) => {
  let taken = 0
  let takenAtMs = performance.now()
  const ended = Promise.withResolvers<unknown>()
  async function* parts() {
    for (; taken < PARTS_MAX; taken += 1) {
      takenAtMs = performance.now()
      await turn()
      yield PART
    }
  }
  const server = createServer((request, response) => {
    const { signal } = abortOnDisconnect(response)
    const call = { id: 'test', request, response, headers: {}, signal } as unknown as Call
    const sent = sendParts(call, { contentType: 'text/plain', parts: parts() }, 'file')
    sent.then(() => ended.resolve('sent'), ended.resolve)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await waitUntil(() => taken > 0 && performance.now() - takenAtMs > 500, 30_000)
  // What the buffers of both sockets hold.
  assert.ok(taken < 30, `${taken} MB were read`)
  socket.destroy()
  assert.ok((await ended.promise) instanceof ClientGone)
  assert.ok(taken < 30)
})
