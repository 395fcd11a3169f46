import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { openConnections, type Connections } from '../../src/engines/connections.ts'
import { createCertificate } from '../harness/certificate.ts'

const REQUEST = 'POST /x HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nä!'

/** A server of Node's own, and how many connections it was asked for. */
async function openServer(server: Server) {
  const seen = { connections: 0 }
  server.on('connection', () => (seen.connections += 1))
  await once(server.listen(0), 'listening')
  return { server, seen, port: (server.address() as AddressInfo).port }
}

function begin(connections: Connections) {
  const events = new EventEmitter<{ data: []; over: [string] }>()
  const told = { status: 0, body: '' }
  const exchange = connections.begin(REQUEST, {
    onStatus: (status) => void (told.status = status),
    onData(bytes, start, end) {
      told.body += bytes.toString('utf8', start, end)
      events.emit('data')
    },
    onEnd: () => void events.emit('over', 'end'),
    onError: (cause) => void events.emit('over', (cause as NodeJS.ErrnoException).code ?? 'error'),
  })
  return { events, told, exchange }
}

async function run(connections: Connections) {
  const { events, told } = begin(connections)
  const [how] = await once(events, 'over')
  return { how, ...told }
}

const echo: RequestListener = (request, response) => void request.pipe(response)

test('one exchange after the other shares a connection, those side by side do not', async () => {
  const { server, seen, port } = await openServer(createServer(echo))
  const connections = openConnections(`http://127.0.0.1:${port}`)
  for (let n = 0; n < 3; n += 1)
    assert.deepEqual(await run(connections), { how: 'end', status: 200, body: 'ä!' })
  assert.equal(seen.connections, 1)
  await Promise.all([run(connections), run(connections)])
  assert.equal(seen.connections, 2)
  connections.close()
  server.close()
})

test('a connection that the server closed in the meantime is not used again', async () => {
  const { server, seen, port } = await openServer(createServer(echo))
  const connections = openConnections(`http://127.0.0.1:${port}`)
  const connected = once(server, 'connection') as Promise<[Socket]>
  await run(connections)
  const [socket] = await connected
  socket.end()
  // It closes once our end has closed as well.
  await once(socket, 'close')
  assert.equal((await run(connections)).how, 'end')
  assert.equal(seen.connections, 2)
  connections.close()
  server.close()
})

test('an exchange that is aborted closes its connection and tells nothing more', async () => {
  const { server, port } = await openServer(
    createServer((_request, response) => {
      const timer = setInterval(() => response.write('more'), 1)
      response.once('close', () => {
        clearInterval(timer)
        server.emit('left')
      })
    }),
  )
  const connections = openConnections(`http://127.0.0.1:${port}`)
  const { events, told, exchange } = begin(connections)
  await once(events, 'data')
  events.once('over', () => assert.fail('it was told of its end'))
  const left = once(server, 'left')
  exchange.abort()
  const { body } = told
  await left
  assert.equal(told.body, body)
  connections.close()
  server.close()
})

test('what is paused waits, and the connection is of use again afterwards', async () => {
  const body = 'x'.repeat(1_000_000)
  const { server, seen, port } = await openServer(
    createServer((_request, response) => void response.end(body)),
  )
  const connections = openConnections(`http://127.0.0.1:${port}`)
  for (let n = 0; n < 2; n += 1) {
    const { events, told, exchange } = begin(connections)
    const over = once(events, 'over')
    events.on('data', () => {
      exchange.pause()
      const length = told.body.length
      setImmediate(() => {
        assert.equal(told.body.length, length)
        exchange.resume()
      })
    })
    assert.deepEqual(await over, ['end'])
    assert.equal(told.body.length, body.length)
  }
  assert.equal(seen.connections, 1)
  connections.close()
  server.close()
})

test('a server that is not there, or breaks off, or is none, is an error', async () => {
  const { server, port } = await openServer(
    createServer((_request, response) => {
      response.write('half', () => response.destroy())
    }),
  )
  const connections = openConnections(`http://127.0.0.1:${port}`)
  const broken = await run(connections)
  assert.notEqual(broken.how, 'end')
  assert.equal(broken.body, 'half')
  connections.close()
  server.close()
  await once(server, 'close')
  const nowhere = openConnections(`http://127.0.0.1:${port}`)
  assert.deepEqual(await run(nowhere), { how: 'ECONNREFUSED', status: 0, body: '' })
  nowhere.close()
})

test('when connections are closed, an exchange that is under way is told', async () => {
  const { server, port } = await openServer(
    createServer((_request, response) => void response.write('half')),
  )
  const connections = openConnections(`http://127.0.0.1:${port}`)
  const { events } = begin(connections)
  await once(events, 'data')
  const over = once(events, 'over')
  connections.close()
  assert.deepEqual(await over, ['error'])
  server.close()
})

test('https is spoken to a server that is who it says, and to no other', async () => {
  const certificate = createCertificate('localhost')
  const { server, port } = await openServer(createSecureServer(certificate, echo))
  const stranger = openConnections(`https://localhost:${port}`)
  assert.equal((await run(stranger)).how, 'DEPTH_ZERO_SELF_SIGNED_CERT')
  stranger.close()
  setDefaultCACertificates([...getCACertificates('default'), certificate.cert])
  const connections = openConnections(`https://localhost:${port}`)
  assert.deepEqual(await run(connections), { how: 'end', status: 200, body: 'ä!' })
  const otherwise = openConnections(`https://127.0.0.1:${port}`)
  assert.equal((await run(otherwise)).how, 'ERR_TLS_CERT_ALTNAME_INVALID')
  for (const each of [connections, otherwise]) each.close()
  server.close()
})
