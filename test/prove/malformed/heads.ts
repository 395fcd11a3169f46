import type { Random } from '../../harness/figures/random.ts'
import { VALID_REQUESTS } from './requests.ts'

/** Bytes for a connection of their own. */
export type MutatedHead = {
  readonly name: string
  readonly bytes: Buffer
  /** Whether our side ends after them, because the server would rightly wait for more. */
  readonly end: boolean
}

/** The parts of a valid request, of which a case changes some. */
type Parts = {
  readonly line: string
  readonly host: string
  readonly authorization: string
  readonly type: string
  /** The header that says where the body ends. */
  readonly framing: string
  readonly more: string
  readonly body: string
  readonly newline: string
}

/** Our side ends after the bytes unless `end` is false; `raw` replaces the whole request. */
type Change = Partial<Parts> & { readonly end?: boolean; readonly raw?: string }
type Case = Change | ((parts: Parts, random: Random) => Change)

// Node allows 16 KiB of headers.
const HEADERS_TOO_LARGE = 20_000
const HEADERS_TOO_MANY = 1_500

function chunked(body: string): Change {
  return { framing: 'Transfer-Encoding: chunked', body }
}

const POST = 'POST /compat/v1/chat/completions'

const CASES: Readonly<Record<string, Case>> = {
  'valid, but for its body': { end: false },
  'no version': { line: POST },
  'another version': { line: `${POST} HTTP/9.9` },
  'HTTP/1.0': { line: `${POST} HTTP/1.0` },
  'HTTP/2 in a line': { line: `${POST} HTTP/2.0` },
  'a method in lower case': { line: POST.toLowerCase() + ' HTTP/1.1' },
  'an unknown method': { line: 'BREW /compat/v1/chat/completions HTTP/1.1' },
  'HEAD for a list': { line: 'HEAD /compat/v1/models HTTP/1.1' },
  'tabs in the line': { line: 'POST\t/compat/v1/chat/completions\tHTTP/1.1' },
  'two spaces in the line': { line: 'POST  /compat/v1/chat/completions HTTP/1.1' },
  'an absolute target': { line: 'POST http://example.com/compat/v1/chat/completions HTTP/1.1' },
  'an asterisk': { line: 'OPTIONS * HTTP/1.1' },
  CONNECT: { line: 'CONNECT example.com:443 HTTP/1.1' },
  TRACE: { line: 'TRACE /compat/v1/models HTTP/1.1' },
  'a target with NUL': { line: 'GET /compat/v1/models\0 HTTP/1.1' },
  'a target with a control character': { line: 'GET /compat/v1/\x01 HTTP/1.1' },
  'a target in Latin-1': { line: 'GET /compat/v1/models/\xe9 HTTP/1.1' },
  'a target with bad encoding': { line: 'GET /compat/v1/models/%zz%ff%c0%af HTTP/1.1' },
  'a target that climbs': { line: 'GET /compat/v1/../../etc/passwd HTTP/1.1' },
  'an endless target': (_parts, random) => ({
    line: `GET /compat/v1/models/${'a'.repeat(random.between(8_000, HEADERS_TOO_LARGE))} HTTP/1.1`,
  }),
  'no Host': { host: '' },
  'two Hosts': { more: 'Host: other.example' },
  'two Authorizations': { more: 'Authorization: Bearer other' },
  'two Content-Types': { more: 'Content-Type: text/plain' },
  'another scheme': { authorization: 'Authorization: Basic x' },
  'no credential': { authorization: '' },
  'a key with odd characters': { authorization: 'Authorization: Bearer \xe9\xff' },
  'an endless key': { authorization: `Authorization: Bearer ${'k'.repeat(9_000)}` },
  'headers too large': (_parts, random) => ({
    more: `X-Large: ${'x'.repeat(random.between(16_000, 3 * HEADERS_TOO_LARGE))}`,
  }),
  'too many headers': (_parts, random) => ({
    more: Array.from(
      { length: random.between(900, HEADERS_TOO_MANY) },
      (_, at) => `X-${at}: 1`,
    ).join('\r\n'),
  }),
  'a header without a colon': { more: 'Nonsense' },
  'a header without a name': { more: ': value' },
  'a space before the colon': { more: 'X-Space : value' },
  'a folded header': { more: 'X-Folded: a\r\n b' },
  'NUL in a header': { more: 'X-Nul: a\0b' },
  'a bare CR in a header': { more: 'X-Cr: a\rb' },
  'a header in Latin-1': { more: 'X-Latin: \xe9' },
  'bare line feeds': { newline: '\n' },
  'an expectation': { more: 'Expect: 100-continue', end: false },
  'an unknown expectation': { more: 'Expect: 200-maybe', end: false },
  'an upgrade': { more: 'Connection: Upgrade\r\nUpgrade: websocket', end: false },
  'an upgrade to HTTP/2': {
    more: 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c',
    end: false,
  },
  'no length': { framing: '' },
  'a length that is too short': (parts) => ({
    framing: `Content-Length: ${Math.floor(parts.body.length / 2)}`,
  }),
  'a length that is too long': (parts) => ({
    framing: `Content-Length: ${parts.body.length + 9}`,
  }),
  'a negative length': { framing: 'Content-Length: -1' },
  'a length with a sign': { framing: 'Content-Length: +5' },
  'a list of lengths': { framing: 'Content-Length: 5, 5' },
  'a length that is no number': { framing: 'Content-Length: five' },
  'an enormous length': { framing: 'Content-Length: 99999999999999999999999' },
  'a length above the largest body': { framing: 'Content-Length: 1000000000' },
  'two lengths': (parts) => ({ more: `Content-Length: ${parts.body.length}` }),
  'two different lengths': { more: 'Content-Length: 1' },
  'length and chunks': { more: 'Transfer-Encoding: chunked' },
  'another transfer coding': { framing: 'Transfer-Encoding: gzip' },
  'two transfer codings': { framing: 'Transfer-Encoding: gzip, chunked' },
  'chunked twice': { framing: 'Transfer-Encoding: chunked, chunked' },
  'almost chunked': { framing: 'Transfer-Encoding: xchunked' },
  'chunked in another case': {
    framing: 'Transfer-Encoding: CHUNKED',
    body: '2\r\n{}\r\n0\r\n\r\n',
    end: false,
  },
  'good chunks': { ...chunked('1\r\n{\r\n1\r\n}\r\n0\r\n\r\n'), end: false },
  'chunk extensions': chunked('2;a=b;c="d"\r\n{}\r\n0\r\n\r\n'),
  'endless chunk extensions': chunked(`2;${'x'.repeat(HEADERS_TOO_LARGE)}\r\n{}\r\n0\r\n\r\n`),
  trailers: chunked('2\r\n{}\r\n0\r\nX-Trailer: 1\r\nAuthorization: Bearer x\r\n\r\n'),
  'a bad chunk size': chunked('zz\r\n{}\r\n0\r\n\r\n'),
  'a negative chunk size': chunked('-2\r\n{}\r\n0\r\n\r\n'),
  'a chunk size beyond 64 bits': chunked('fffffffffffffffff\r\n{}\r\n'),
  'a chunk size with a prefix': chunked('0x2\r\n{}\r\n0\r\n\r\n'),
  'a chunk longer than it says': chunked('1\r\n{}\r\n0\r\n\r\n'),
  'a chunk shorter than it says': chunked('9\r\n{}\r\n0\r\n\r\n'),
  'chunks without an end': chunked('2\r\n{}\r\n'),
  'chunks with bare line feeds': chunked('2\n{}\n0\n\n'),
  'half a request': (parts, random) => {
    const whole = render(parts)
    return { raw: whole.slice(0, random.between(1, whole.length - 1)) }
  },
  'two requests at once': (parts) => ({ raw: render(parts) + render(parts), end: false }),
  'a request and rubbish': (parts) => ({ raw: `${render(parts)}rubbish\r\n\r\n`, end: false }),
  'nothing but line ends': { raw: '\r\n\r\n\r\n' },
  'HTTP/0.9': { raw: 'GET /\r\n' },
  'the opening of HTTP/2': { raw: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  'the opening of TLS': { raw: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' },
  'the opening of SSH': { raw: 'SSH-2.0-OpenSSH_9.2\r\n' },
  'a proxy header': { raw: 'PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n' },
  'random bytes': (_parts, random) => ({
    raw: Array.from({ length: random.between(1, 200) }, () =>
      String.fromCharCode(random.between(0, 255)),
    ).join(''),
  }),
}

function render(parts: Parts): string {
  const { line, host, authorization, type, framing, more, body, newline } = parts
  const head = [line, host, authorization, type, framing, more].filter((text) => text !== '')
  return `${head.join(newline)}${newline}${newline}${body}`
}

export function mutateHead(key: string, random: Random): MutatedHead {
  const body = random.chance(0.7) ? '{}' : JSON.stringify(random.pick(VALID_REQUESTS))
  const parts: Parts = {
    line: `${POST} HTTP/1.1`,
    host: 'Host: localhost',
    authorization: `Authorization: Bearer ${key}`,
    type: 'Content-Type: application/json',
    framing: `Content-Length: ${Buffer.byteLength(body)}`,
    more: '',
    body,
    newline: '\r\n',
  }
  const [name, chosen] = random.pick(Object.entries(CASES))
  const change = typeof chosen === 'function' ? chosen(parts, random) : chosen
  const { raw = render({ ...parts, ...change }), end = true } = change
  return { name, bytes: Buffer.from(raw, 'latin1'), end }
}
