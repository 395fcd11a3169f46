import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { openConnections, type Connections } from './connections.ts'

const RESPONSE = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const BODY = 'x'.repeat(1_000)
const REQUEST = `POST / HTTP/1.1\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`
const ASKED = { head: REQUEST.slice(0, -BODY.length), body: BODY, isAscii: true }
const REQUESTS = 1_000

/** The request with this number on a connection arrived whole; from 1. */
type OnRequest = (socket: Socket, number: number) => void

/** A server that reads requests and does with each connection what the test wants. */
async function startServer(onRequest: OnRequest) {
  const sockets = new Set<Socket>()
  const counts = { connections: 0, requests: 0 }
  // Half open, so that only the test decides when a connection ends.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    counts.connections += 1
    let bytes = 0
    let number = 0
    socket.on('error', () => undefined)
    socket.on('end', () => socket.end())
    socket.on('data', (part) => {
      bytes += part.length
      if (bytes < REQUEST.length) return
      bytes -= REQUEST.length
      number += 1
      counts.requests += 1
      onRequest(socket, number)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    [Symbol.dispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Resolves to the body of the response, or to the error. */
function exchange(connections: Connections): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  let body = ''
  connections.begin(ASKED, {
    onStatus: () => undefined,
    onData: (bytes, start, end) => void (body += bytes.toString('latin1', start, end)),
    onEnd: () => resolve(body),
    onError: resolve,
  })
  return promise
}

const respond = (socket: Socket) => void socket.write(RESPONSE)

// What a server may do at the moment when the next request is under way.
const CLOSINGS: Readonly<Record<string, OnRequest>> = {
  'resets a kept connection on the next request': (socket, number) =>
    number === 1 ? respond(socket) : void socket.resetAndDestroy(),
  'closes a kept connection on the next request': (socket, number) =>
    number === 1 ? respond(socket) : void socket.end(),
  'closes a kept connection while the next request is written': (socket, number) => {
    if (number === 1) socket.end(RESPONSE)
    else socket.resetAndDestroy()
  },
}

for (const [name, onRequest] of Object.entries(CLOSINGS))
  test(`no request fails at a server that ${name}`, async () => {
    using server = await startServer(onRequest)
    const connections = openConnections(server.url, true)
    const failures: unknown[] = []
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const result = await exchange(connections)
      if (result !== 'ok') failures.push(result)
    }
    connections.close()
    assert.deepEqual(failures, [])
  })

test('a connection is reused', async () => {
  using server = await startServer(respond)
  const connections = openConnections(server.url, true)
  for (let sent = 0; sent < 10; sent += 1) assert.equal(await exchange(connections), 'ok')
  connections.close()
  assert.deepEqual(server.counts, { connections: 1, requests: 10 })
})

test('a request on a new connection is not sent again', async () => {
  using server = await startServer((socket) => socket.resetAndDestroy())
  const connections = openConnections(server.url, true)
  assert.ok((await exchange(connections)) instanceof Error)
  connections.close()
  assert.deepEqual(server.counts, { connections: 1, requests: 1 })
})

test('a request is sent again at most once', async () => {
  let responses = 0
  using server = await startServer((socket) => {
    responses += 1
    if (responses === 1) respond(socket)
    else socket.resetAndDestroy()
  })
  const connections = openConnections(server.url, true)
  assert.equal(await exchange(connections), 'ok')
  assert.ok((await exchange(connections)) instanceof Error)
  connections.close()
  assert.deepEqual(server.counts, { connections: 2, requests: 3 })
})

test('a request is not sent again after the first byte of a response', async () => {
  using server = await startServer((socket, number) => {
    if (number === 1) respond(socket)
    else socket.end('H')
  })
  const connections = openConnections(server.url, true)
  assert.equal(await exchange(connections), 'ok')
  assert.ok((await exchange(connections)) instanceof Error)
  connections.close()
  assert.deepEqual(server.counts, { connections: 1, requests: 2 })
})

test('a request that was aborted is not sent again', async () => {
  const closed = Promise.withResolvers<void>()
  using server = await startServer((socket, number) => {
    if (number === 1) respond(socket)
    else socket.once('close', closed.resolve)
  })
  const connections = openConnections(server.url, true)
  assert.equal(await exchange(connections), 'ok')
  const unexpected = () => assert.fail('an event after the abort')
  const handler = { onStatus: unexpected, onData: unexpected, onEnd: unexpected }
  connections.begin(ASKED, { ...handler, onError: unexpected }).abort()
  await closed.promise
  connections.close()
  assert.deepEqual(server.counts.connections, 1)
})

test('closing ends requests on kept connections without sending them again', async () => {
  const arrived = Promise.withResolvers<void>()
  using server = await startServer((socket, number) => {
    if (number === 1) respond(socket)
    else arrived.resolve()
  })
  const connections = openConnections(server.url, true)
  assert.equal(await exchange(connections), 'ok')
  const result = exchange(connections)
  await arrived.promise
  connections.close()
  assert.ok((await result) instanceof Error)
  assert.equal(server.counts.connections, 1)
})

test('the age of a kept connection is checked when it is used', async () => {
  using server = await startServer(respond)
  let nowMs = 0
  const connections = openConnections(server.url, true, () => nowMs)
  assert.equal(await exchange(connections), 'ok')
  nowMs = 3_999
  assert.equal(await exchange(connections), 'ok')
  assert.equal(server.counts.connections, 1)
  nowMs += 4_001
  assert.equal(await exchange(connections), 'ok')
  assert.equal(server.counts.connections, 2)
  connections.close()
})

test('the end of writing a request is reported', async () => {
  using server = await startServer(respond)
  const connections = openConnections(server.url, true)
  const events: string[] = []
  const ended = Promise.withResolvers<void>()
  connections.begin(ASKED, {
    onSent: () => void events.push('sent'),
    onStatus: () => void events.push('status'),
    onData: () => undefined,
    onEnd: ended.resolve,
    onError: ended.reject,
  })
  assert.deepEqual(events, [])
  await ended.promise
  assert.deepEqual(events, ['sent', 'status'])
  connections.close()
})
