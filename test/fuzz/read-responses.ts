import assert from 'node:assert/strict'

export type HttpResponse = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** False if the connection ended before the body did. */
  readonly complete: boolean
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END = Buffer.from('\r\n')

/** All responses on a connection, without interim ones. Throws on anything else. */
export function readResponses(received: Buffer, methods: readonly string[]): HttpResponse[] {
  const responses: HttpResponse[] = []
  let rest = received
  while (rest.length > 0) {
    const end = rest.indexOf(HEAD_END)
    if (end === -1) {
      assert.match(rest.toString('latin1', 0, 9), /^HTTP\/1\.1/, 'not a response')
      break
    }
    const [line = '', ...fields] = rest.toString('latin1', 0, end).split('\r\n')
    const [, digits] = /^HTTP\/1\.1 (\d{3}) [\w -]*$/.exec(line) ?? []
    assert.ok(digits !== undefined, `not a status line: ${line}`)
    rest = rest.subarray(end + HEAD_END.length)
    const status = Number(digits)
    if (status < 200) continue
    const headers = readFields(fields)
    const bodiless = methods[responses.length] === 'HEAD' || status === 204 || status === 304
    const read = bodiless ? { body: '', length: 0, complete: true } : readBody(rest, headers)
    responses.push({ status, headers, body: read.body, complete: read.complete })
    rest = rest.subarray(read.length)
  }
  return responses
}

function readFields(fields: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const field of fields) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+): ?([\t\x20-\x7e\x80-\xff]*)$/.exec(field) ?? []
    assert.ok(name !== undefined && value !== undefined, `not a header: ${field}`)
    assert.ok(!headers.has(name.toLowerCase()), `twice: ${name}`)
    headers.set(name.toLowerCase(), value)
  }
  return headers
}

type Body = { readonly body: string; readonly length: number; readonly complete: boolean }

function readBody(bytes: Buffer, headers: ReadonlyMap<string, string>): Body {
  const announced = headers.get('content-length')
  if (announced !== undefined) {
    assert.ok(!headers.has('transfer-encoding'), 'a length and chunks')
    const length = Number(announced)
    const body = bytes.toString('utf8', 0, length)
    return { body, length: Math.min(length, bytes.length), complete: bytes.length >= length }
  }
  if (headers.get('transfer-encoding') !== 'chunked') {
    assert.equal(headers.get('connection'), 'close', 'a body without an end')
    return { body: bytes.toString(), length: bytes.length, complete: true }
  }
  return readChunks(bytes)
}

function readChunks(bytes: Buffer): Body {
  let body = ''
  let at = 0
  for (;;) {
    const end = bytes.indexOf(LINE_END, at)
    if (end === -1) return { body, length: bytes.length, complete: false }
    const line = bytes.toString('latin1', at, end)
    assert.match(line, /^[0-9a-f]+$/i, 'not a chunk size')
    const size = Number.parseInt(line, 16)
    const from = end + LINE_END.length
    if (bytes.length < from + size + LINE_END.length)
      return { body, length: bytes.length, complete: false }
    assert.ok(bytes.subarray(from + size).indexOf(LINE_END) === 0, 'not the end of a chunk')
    body += bytes.toString('utf8', from, from + size)
    at = from + size + LINE_END.length
    if (size === 0) return { body, length: at, complete: true }
  }
}
