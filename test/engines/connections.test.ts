import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import {
  openConnections,
  type Connections,
  type HttpRequest,
} from '../../src/engines/wire/connections.ts'
import { createCertificate } from '../harness/servers/certificate.ts'

const HEAD = 'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n'
const ASKED = { head: HEAD, body: 'ä!', isAscii: false }

/** Starts the server and counts the connections to it. */
async function open(context: TestContext, server: Server, scheme = 'http', keepAlive = true) {
  const seen = { connections: 0 }
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    seen.connections += 1
    sockets.add(socket)
  })
  await once(server.listen(0), 'listening')
  const { port } = server.address() as AddressInfo
  const connectTo = (host: string) => {
    const connections = openConnections(`${scheme}://${host}:${port}`, keepAlive)
    context.after(() => connections.close())
    return connections
  }
  context.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { seen, connectTo, connections: connectTo('localhost') }
}

function begin(connections: Connections, asked: HttpRequest = ASKED) {
  const events = new EventEmitter<{ data: []; over: [string] }>()
  const received = { status: 0, body: '' }
  const exchange = connections.begin(asked, {
    onStatus: (status) => void (received.status = status),
    onData(bytes, start, end) {
      received.body += bytes.toString('utf8', start, end)
      events.emit('data')
    },
    onEnd: () => void events.emit('over', 'end'),
    onError: (cause) => void events.emit('over', (cause as NodeJS.ErrnoException).code ?? 'error'),
  })
  return { events, received, exchange }
}

async function run(connections: Connections, asked?: HttpRequest) {
  const { events, received } = begin(connections, asked)
  const [how] = await once(events, 'over')
  return { how, ...received }
}

const echo: RequestListener = (request, response) => void request.pipe(response)

test('consecutive exchanges share a connection, concurrent ones do not', async (context) => {
  const { seen, connections } = await open(context, createServer(echo))
  for (let n = 0; n < 3; n += 1)
    assert.deepEqual(await run(connections), { how: 'end', status: 200, body: 'ä!' })
  assert.equal(seen.connections, 1)
  await Promise.all([run(connections), run(connections)])
  assert.equal(seen.connections, 2)
})

test('a long body arrives as it is, whatever its characters', async (context) => {
  const digest: RequestListener = (request, response) =>
    void buffer(request).then((bytes) => response.end(hash('sha256', bytes)))
  const { connections } = await open(context, createServer(digest))
  for (const text of ['plain ', 'dämmert 狐 '])
    for (const body of [text.repeat(2_000), text.repeat(100_000)]) {
      const bytes = Buffer.byteLength(body)
      const head = `POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`
      const asked = { head, body, isAscii: bytes === body.length }
      assert.equal((await run(connections, asked)).body, hash('sha256', body))
    }
})

test('a connection that the server closed while idle is not used again', async (context) => {
  const server = createServer(echo)
  const { seen, connections } = await open(context, server)
  const connected = once(server, 'connection') as Promise<[Socket]>
  await run(connections)
  const [socket] = await connected
  socket.end()
  // The socket closes only after the client has closed its end too.
  await once(socket, 'close')
  assert.equal((await run(connections)).how, 'end')
  assert.equal(seen.connections, 2)
})

test('an aborted exchange closes its connection and calls no more handlers', async (context) => {
  const server = createServer((_request, response) => {
    const timer = setInterval(() => response.write('more'), 1)
    response.once('close', () => {
      clearInterval(timer)
      server.emit('left')
    })
  })
  const { connections } = await open(context, server)
  const { events, received, exchange } = begin(connections)
  await once(events, 'data')
  events.once('over', () => assert.fail('a handler was called after the abort'))
  const left = once(server, 'left')
  exchange.abort()
  const { body } = received
  await left
  assert.equal(received.body, body)
})

test('a paused exchange gets no data, and its connection is reused afterwards', async (context) => {
  const body = 'x'.repeat(1_000_000)
  const server = createServer((_request, response) => void response.end(body))
  const { seen, connections } = await open(context, server)
  for (let n = 0; n < 2; n += 1) {
    const { events, received, exchange } = begin(connections)
    const over = once(events, 'over')
    events.on('data', () => {
      exchange.pause()
      const length = received.body.length
      setImmediate(() => {
        assert.equal(received.body.length, length)
        exchange.resume()
      })
    })
    assert.deepEqual(await over, ['end'])
    assert.equal(received.body.length, body.length)
  }
  assert.equal(seen.connections, 1)
})

test('without keepAlive a connection is closed, whatever the server announces', async (context) => {
  const { seen, connections } = await open(context, createServer(echo), 'http', false)
  await run(connections)
  assert.equal((await run(connections)).how, 'end')
  assert.equal(seen.connections, 2)
})

test('a cut-off response, a non-HTTP server or a closed port is an error', async (context) => {
  const breaking = createServer((_request, response) => {
    response.write('half', () => response.destroy())
  })
  const broken = await run((await open(context, breaking)).connections)
  assert.notEqual(broken.how, 'end')
  assert.equal(broken.body, 'half')
  const none = createTcpServer((socket) => void socket.write('SSH-2.0-OpenSSH\r\n\r\n'))
  const other = await run((await open(context, none)).connections)
  assert.deepEqual(other, { how: 'error', status: 0, body: '' })
  const gone = createServer(echo)
  const { connections } = await open(context, gone)
  gone.close()
  await once(gone, 'close')
  assert.deepEqual(await run(connections), { how: 'ECONNREFUSED', status: 0, body: '' })
})

test('closing the connections ends running exchanges with an error', async (context) => {
  const server = createServer((_request, response) => void response.write('half'))
  const { connections } = await open(context, server)
  const { events } = begin(connections)
  await once(events, 'data')
  const over = once(events, 'over')
  connections.close()
  assert.deepEqual(await over, ['error'])
  server.close()
})

test('https requires a trusted certificate for the host name', async (context) => {
  const certificate = createCertificate('localhost')
  const server = createSecureServer(certificate, echo)
  const { connections, connectTo } = await open(context, server, 'https')
  assert.equal((await run(connections)).how, 'DEPTH_ZERO_SELF_SIGNED_CERT')
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert])
  assert.deepEqual(await run(connections), { how: 'end', status: 200, body: 'ä!' })
  assert.equal((await run(connectTo('127.0.0.1'))).how, 'ERR_TLS_CERT_ALTNAME_INVALID')
})
