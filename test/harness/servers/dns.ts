import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A record: the text of a TXT record, an address, or the target of an SRV record. */
export type DnsRecord =
  | string
  | { readonly a: string }
  /** All eight groups. */
  | { readonly aaaa: string }
  | { readonly srv: string; readonly port: number }

/** A DNS server on loopback that knows TXT, A, AAAA and SRV records. Names are in lower case. */
export type DnsServer = AsyncDisposable & {
  /** For `Resolver.setServers`. */
  readonly address: string
  /** A name without an entry does not exist; `fail` answers SERVFAIL. */
  readonly records: Map<string, readonly DnsRecord[] | 'fail'>
  /** Called after each answer. */
  onAnswer: () => void
}

const HEADER_BYTES = 12
const QUERY_TAIL_BYTES = 4
const A = 1
const TXT = 16
const AAAA = 28
const SRV = 33
const TTL_SECONDS = 1
const NO_ERROR = 0
const SERVER_FAILURE = 2
const NO_SUCH_NAME = 3

export async function startDnsServer(): Promise<DnsServer> {
  const records: DnsServer['records'] = new Map()
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readName(query)
    const found = records.get(name.toLowerCase())
    const code = found === undefined ? NO_SUCH_NAME : found === 'fail' ? SERVER_FAILURE : NO_ERROR
    const type = query.readUInt16BE(end)
    const known = found === undefined || found === 'fail' ? [] : found
    const answers = known.filter((record) => typeOf(record) === type).map(writeAnswer)
    const header = Buffer.from(query.subarray(0, HEADER_BYTES))
    // A response, recursion desired and available.
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    header.writeUInt32BE(0, 8)
    const question = query.subarray(HEADER_BYTES, end + QUERY_TAIL_BYTES)
    socket.send(Buffer.concat([header, question, ...answers]), port, address)
    server.onAnswer()
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const server: DnsServer = {
    onAnswer: () => undefined,
    address: `127.0.0.1:${socket.address().port}`,
    records,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => socket.close(resolve))
    },
  }
  return server
}

function typeOf(record: DnsRecord): number {
  if (typeof record === 'string') return TXT
  if ('aaaa' in record) return AAAA
  return 'a' in record ? A : SRV
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), end: at + 1 }
}

function writeAnswer(record: DnsRecord): Buffer {
  const data = dataOf(record)
  const head = Buffer.alloc(12)
  // The name is that of the question.
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
  head.writeUInt16BE(typeOf(record), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(TTL_SECONDS, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function dataOf(record: DnsRecord): Buffer {
  if (typeof record === 'string') {
    const parts: Buffer[] = []
    for (let at = 0; at === 0 || at < record.length; at += 255) parts.push(label(record, at, 255))
    return Buffer.concat(parts)
  }
  if ('a' in record) return Buffer.from(record.a.split('.').map(Number))
  if ('aaaa' in record)
    return Buffer.from(
      record.aaaa
        .split(':')
        .map((group) => group.padStart(4, '0'))
        .join(''),
      'hex',
    )
  const numbers = Buffer.alloc(6)
  numbers.writeUInt16BE(record.port, 4)
  const labels = record.srv.split('.').map((each) => label(each, 0, 63))
  return Buffer.concat([numbers, ...labels, Buffer.from([0])])
}

function label(text: string, at: number, lengthMax: number): Buffer {
  const part = Buffer.from(text.slice(at, at + lengthMax), 'latin1')
  return Buffer.concat([Buffer.from([part.length]), part])
}
