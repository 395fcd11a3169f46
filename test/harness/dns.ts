import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A DNS server on loopback that knows TXT records only. Names are in lower case. */
export type DnsServer = AsyncDisposable & {
  /** For `Resolver.setServers`. */
  readonly address: string
  /** A name without an entry does not exist; `fail` answers SERVFAIL. */
  readonly records: Map<string, readonly string[] | 'fail'>
}

const HEADER_BYTES = 12
const QUERY_TAIL_BYTES = 4
const TXT = 16
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
    const answers = found === undefined || found === 'fail' ? [] : found.map(writeAnswer)
    const header = Buffer.from(query.subarray(0, HEADER_BYTES))
    // A response, recursion desired and available.
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    header.writeUInt32BE(0, 8)
    const question = query.subarray(HEADER_BYTES, end + QUERY_TAIL_BYTES)
    socket.send(Buffer.concat([header, question, ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => socket.close(resolve))
    },
  }
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

function writeAnswer(text: string): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at === 0 || at < text.length; at += 255) {
    const part = Buffer.from(text.slice(at, at + 255), 'latin1')
    parts.push(Buffer.from([part.length]), part)
  }
  const data = Buffer.concat(parts)
  const head = Buffer.alloc(12)
  // The name is that of the question.
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
  head.writeUInt16BE(TXT, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(TTL_SECONDS, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
