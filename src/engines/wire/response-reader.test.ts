import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import { MalformedResponse, ResponseReader } from './response-reader.ts'

type Events = { status: number | undefined; body: string; end: boolean | undefined }

/** The events of a reader for a response in these parts. */
function readParts(parts: readonly Buffer[], ends = false): Events {
  const events: Events = { status: undefined, body: '', end: undefined }
  const reader = new ResponseReader({
    onStatus: (status) => void (events.status = status),
    onData: (bytes, start, end) => void (events.body += bytes.toString('latin1', start, end)),
    onEnd: (reusable) => void (events.end = reusable),
  })
  for (const part of parts) reader.read(part, part.length)
  if (ends) reader.end()
  return events
}

const readText = (text: string, ends = false) => readParts([Buffer.from(text, 'latin1')], ends)

/** Splits the bytes into parts of the given lengths, repeatedly. */
function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const end = at + (lengths[turn % lengths.length] ?? 1)
    parts.push(bytes.subarray(at, end))
    at = end
  }
  return parts
}

/** The bytes of a response from Node's server. */
async function sentByNode(answer: (response: ServerResponse) => void): Promise<Buffer> {
  const server = createServer((_request, response) => answer(response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.end('POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  const bytes = await buffer(socket)
  server.close()
  return bytes
}

const TEXT = 'data: {"choices":[]}\n\n'

const ANSWERS: readonly [string, (response: ServerResponse) => void, string][] = [
  [
    'in chunks',
    (response) => {
      for (let n = 0; n < 20; n += 1) response.write(TEXT.repeat(n + 1))
      response.end()
    },
    TEXT.repeat(210),
  ],
  ['with a content length', (response) => void response.end(TEXT), TEXT],
  ['without a body', (response) => void response.writeHead(204).end(), ''],
  [
    'with interim responses and trailers',
    (response) => {
      response.writeContinue()
      response.writeHead(200, { trailer: 'x-sum' })
      response.write(TEXT)
      response.addTrailers({ 'x-sum': '1' })
      response.end()
    },
    TEXT,
  ],
]

for (const [name, answer, body] of ANSWERS) {
  test(`a response ${name} is read correctly however it is split`, async () => {
    const bytes = await sentByNode(answer)
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(lengths, (each) => {
        const events = readParts(cut(bytes, each))
        assert.equal(events.body, body)
        assert.equal(events.end, false)
      }),
    )
  })
}

test('a connection is reusable after a complete response without Connection: close', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n'
  assert.deepEqual(readText(`${head}\r\nab`), { status: 200, body: 'ab', end: true })
  assert.equal(readText(`${head}Connection: Close\r\n\r\nab`).end, false)
  assert.equal(readText('HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n').end, false)
})

test('the end of the connection ends only a body without a length', () => {
  assert.deepEqual(readText('HTTP/1.1 200 OK\r\n\r\nab', true), {
    status: 200,
    body: 'ab',
    end: false,
  })
  const begun = ['HTTP/1.1 200', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab']
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  for (const text of [...begun, chunked, `${chunked}2\r\nab\r\n`, `${chunked}0\r\n`])
    assert.throws(() => readText(text, true), MalformedResponse)
})

test('chunk extensions are ignored', () => {
  const text = 'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n2;a=b\r\nab\r\n0;c\r\n\r\n'
  assert.deepEqual(readText(text), { status: 200, body: 'ab', end: true })
})

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const MALFORMED: readonly [string, string][] = [
  ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ['another version', 'HTTP/2 200\r\n\r\n'],
  ['a switch of protocols', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`],
  ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
  ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
  ['a compressed body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
  ['a chunk without a size', `${chunked}\r\nab`],
  ['a size that is not a number', `${chunked}zz\r\nab`],
  ['a size that is too large to count', `${chunked}fffffffffffff\r\nab`],
  ['a chunk longer than its size', `${chunked}2\r\nabc\r\n`],
  ['endless chunk extensions', `${chunked}1;${'x'.repeat(70_000)}`],
  ['endless trailers', `${chunked}0\r\n${'a: b\r\n'.repeat(20_000)}`],
  ['more than one response', 'HTTP/1.1 204 None\r\n\r\nHTTP/1.1 204 None\r\n\r\n'],
]

for (const [name, text] of MALFORMED) {
  test(`rejected: ${name}`, () => {
    assert.throws(() => readText(text), MalformedResponse)
    assert.throws(() => readParts(cut(Buffer.from(text, 'latin1'), [7])), MalformedResponse)
  })
}

test('any input is either read or rejected as malformed', () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 6 })
  fc.assert(
    fc.property(fc.constantFrom('', 'HTTP/1.1 200 OK\r\n', chunked), parts, (head, each) => {
      try {
        readParts([Buffer.from(head), ...each.map((part) => Buffer.from(part))], true)
      } catch (error) {
        assert.ok(error instanceof MalformedResponse)
      }
    }),
    { numRuns: 2_000 },
  )
})
