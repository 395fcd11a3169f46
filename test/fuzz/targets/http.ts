import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { createApiServer } from '../../../src/http/server.ts'
import { createHandler } from '../../../src/inference/routes.ts'
import { mutateHead } from '../../prove/malformed/heads.ts'
import { mutateBody } from '../../prove/malformed/bodies.ts'
import { VALID_REQUESTS } from '../../prove/malformed/requests.ts'
import { createRandom, type Random } from '../../harness/figures/random.ts'
import { API_ROOT, KEY, stubInference } from '../stub-inference.ts'
import { readResponses } from '../read-responses.ts'
import type { FuzzTarget } from '../target.ts'

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
/** Only for a connection that hangs; all others end as soon as the server is idle. */
const TIMEOUT_MS = 10_000
const SEEDS = 40
/** An answer that needs no body comes within these turns of the event loop. */
const IDLE_TURNS = 5

/** What the server saw of one connection. */
type Seen = { readonly methods: string[]; readonly running: Set<IncomingMessage> }

/** Raw bytes on a connection: valid responses, one for each request, never a 500. */
export async function openHttpTarget(): Promise<FuzzTarget> {
  const seenBy = new Map<Socket, Seen>()
  const unexpected: unknown[] = []
  const note = (error: unknown) => void unexpected.push(error)
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  const inference = await stubInference()
  const { server } = createApiServer({
    handle: createHandler(API_ROOT, inference),
    origins: 'all',
    exposedHeaders: 'x-request-id',
    connectionsMax: 100,
    log: { debug() {}, info() {}, warn() {}, error: (...fields: unknown[]) => note(fields) },
    onEnd() {},
  })
  server.on('connection', (socket) => seenBy.set(socket, { methods: [], running: new Set() }))
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const seen = seenBy.get(request.socket)
    if (seen === undefined) return
    seen.methods.push(request.method ?? '')
    seen.running.add(request)
    response.once('close', () => seen.running.delete(request))
  }
  server.prependListener('request', onRequest)
  server.prependListener('checkExpectation', onRequest)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    seeds: Array.from({ length: SEEDS }, (_, seed) => randomInput(createRandom(seed))),
    dictionary: DICTIONARY,
    lengthMax: 8_192,
    ciExecutions: 20_000,
    generate: randomInput,
    async check(input) {
      const { received, methods } = await exchange(port, input, seenBy)
      const [error] = unexpected.splice(0)
      if (error !== undefined) throw new Error('an error that nothing handles', { cause: error })
      checkResponses(received, methods)
    },
    async close() {
      process.off('uncaughtException', note)
      process.off('unhandledRejection', note)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await inference.fleet[Symbol.asyncDispose]()
    },
  }
}

const DICTIONARY = [
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\0',
  ' ',
  '\t',
  ':',
  'GET ',
  'POST ',
  'HEAD ',
  'OPTIONS ',
  'CONNECT ',
  'HTTP/1.1',
  'HTTP/1.0',
  'Host: a\r\n',
  'Content-Length: 0\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Connection: keep-alive\r\n',
  'Expect: 100-continue\r\n',
  'Expect: x\r\n',
  'Upgrade: h2c\r\n',
  'Connection: Upgrade\r\n',
  'Origin: http://a\r\n',
  'Access-Control-Request-Method: POST\r\n',
  `${API_ROOT}/models`,
  `${API_ROOT}/chat/completions`,
  '%2f',
  '%',
  '*',
  `Authorization: Bearer ${KEY}\r\n`,
  'Content-Type: application/json\r\n',
  'Content-Encoding: gzip\r\n',
  '0\r\n\r\n',
  '5\r\nhello\r\n',
  ';a=b',
  '"stream":true',
  'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
]

function randomInput(random: Random): Buffer {
  if (random.chance(0.6)) return mutateHead(KEY, random).bytes
  const { body, headers } = random.chance(0.5)
    ? mutateBody(random)
    : {
        body: Buffer.from(JSON.stringify(random.pick(VALID_REQUESTS))),
        headers: { 'content-type': 'application/json' },
      }
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const line = `POST ${API_ROOT}/chat/completions HTTP/1.1\r\n`
  const head = `${line}Host: a\r\nAuthorization: Bearer ${KEY}\r\n`
  const length = `Content-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head + fields.join('') + length, 'latin1'), body])
}

/** Sends the bytes, waits until the server has answered what it could, and ends the connection. */
async function exchange(port: number, input: Buffer, seenBy: Map<Socket, Seen>) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => void parts.push(part))
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const timeout = setTimeout(() => socket.destroy(new Error('timeout')), TIMEOUT_MS)
  const startedMs = performance.now()
  socket.write(input)
  await once(socket, 'connect').catch(() => undefined)
  const isIdle = () => {
    const [peer] = [...seenBy].find(([each]) => each.remotePort === socket.localPort) ?? []
    const seen = peer && seenBy.get(peer)
    if (peer === undefined || seen === undefined) return socket.destroyed
    if (peer.destroyed || peer.writableEnded) return true
    // A request whose body is not complete waits for bytes that do not come.
    const waits = [...seen.running].every((request) => !request.complete)
    return peer.bytesRead >= input.length && waits
  }
  let idleTurns = 0
  while (idleTurns < IDLE_TURNS && !socket.destroyed) {
    await new Promise(setImmediate)
    idleTurns = isIdle() ? idleTurns + 1 : 0
    if (performance.now() - startedMs > TIMEOUT_MS) break
  }
  const [peer, seen] = [...seenBy].find(([each]) => each.remotePort === socket.localPort) ?? []
  socket.end()
  await closed
  clearTimeout(timeout)
  if (peer !== undefined) seenBy.delete(peer)
  for (const each of seenBy.keys()) if (each.destroyed) seenBy.delete(each)
  assert.ok(performance.now() - startedMs < TIMEOUT_MS, 'the connection was not closed')
  return { received: Buffer.concat(parts), methods: seen?.methods ?? [] }
}

function checkResponses(received: Buffer, methods: readonly string[]): void {
  const responses = readResponses(received, methods)
  // A request that Node cannot parse is not among the methods, and ends the connection.
  assert.ok(responses.length <= methods.length + 1, 'more responses than requests')
  for (const [index, { status, headers, body, complete }] of responses.entries()) {
    if (index >= methods.length) assert.equal(headers.get('connection'), 'close')
    assert.ok(status !== 500, `a 500: ${body}`)
    assert.ok(status >= 200 && status < 600, `status ${status}`)
    const isPreflight = status === 204
    if (!isPreflight) assert.match(headers.get('x-request-id') ?? '', REQUEST_ID, 'no request id')
    if (!complete || methods[index] === 'HEAD' || status < 400) continue
    const { error } = JSON.parse(body) as { error: object }
    assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code'], 'no error body')
  }
}
