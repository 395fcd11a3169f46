import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { keepLines } from '../../test/harness/lines.ts'
import type { Call } from './call.ts'
import { createApiServer, type RequestTimeouts } from './server.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\n'
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`
/** What Node reads from a socket at once. */
const READ_BYTES = 65_536
const HELD_BYTES_MAX = 16_384
const BODY_BYTES = 200_000

async function startServer(handle: (call: Call) => Promise<void>, timeouts?: RequestTimeouts) {
  const { server } = createApiServer({
    handle,
    origins: 'all',
    exposedHeaders: '',
    connectionsMax: 100,
    log: keepLines().log,
    onEnd: () => undefined,
    ...(timeouts === undefined ? {} : { timeouts }),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  return {
    open(sent: string) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(sent)
      sockets.push(socket)
      return socket
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Everything until the connection ends. */
async function readAll(socket: Socket): Promise<string> {
  const parts: string[] = []
  socket.on('data', (part: Buffer) => void parts.push(part.toString()))
  await once(socket, 'close')
  return parts.join('')
}

test('until a handler asks for the body, only its beginning is read', async () => {
  const asked = Promise.withResolvers<Call>()
  const answered = Promise.withResolvers<void>()
  using server = await startServer((call) => {
    asked.resolve(call)
    return answered.promise
  })
  const socket = server.open(CHUNKED + '1\r\nx\r\n'.repeat(BODY_BYTES))
  const call = await asked.promise
  // A server that reads on would do so in every turn of the event loop.
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
  const wireBytes = 6 * HELD_BYTES_MAX + 2 * READ_BYTES
  assert.ok(call.request.socket.bytesRead <= wireBytes, `${call.request.socket.bytesRead} bytes`)
  assert.equal(call.request.readableLength, 0)
  const body = call.request.readBody(() => undefined)
  socket.write('0\r\n\r\n')
  assert.equal((await body).length, BODY_BYTES)
  call.response.end()
  answered.resolve()
})

test('a body that nobody reads does not block the next request', async () => {
  let requests = 0
  using server = await startServer(async ({ response }) => {
    requests += 1
    response.end()
  })
  const length = 1_000_000
  const unread = `${HEAD}Content-Length: ${length}\r\n\r\n${'x'.repeat(length)}`
  const socket = server.open(`${unread}${HEAD}Connection: close\r\n\r\n`)
  const text = await readAll(socket)
  assert.equal(requests, 2)
  assert.equal(text.match(/HTTP\/1.1 200/g)?.length, 2)
})

test('a client that is slow to send head or body gets 408 and is disconnected', async () => {
  using server = await startServer(
    async ({ request, response }) => {
      await request.readBody(() => undefined)
      response.end()
    },
    { headersMs: 300, requestMs: 600 },
  )
  const slow = [HEAD, `${CHUNKED}1\r\nx\r\n`].map((sent) => {
    const socket = server.open(sent)
    const drip = setInterval(() => socket.write(sent === HEAD ? 'a' : '1\r\nx\r\n'), 50)
    socket.once('close', () => clearInterval(drip))
    return readAll(socket)
  })
  for (const text of await Promise.all(slow)) {
    assert.match(text, /^HTTP\/1.1 408/)
    assert.match(text, /"code":"request_timeout"/)
  }
})
