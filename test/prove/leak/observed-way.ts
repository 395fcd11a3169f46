import { once } from 'node:events'
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { createCertificate } from '../../harness/certificate.ts'

/** What left the service between two moments, as someone on the wire and as the client sees it. */
export type Burst = { records: number[]; text: string }

/** client ← observer ← TLS terminator ← service. Only the observer's numbers are the finding. */
export type ObservedWay = AsyncDisposable & {
  /** Sends a request and resolves when its answer has ended. */
  ask(targetPort: number, head: string, body: string): Promise<void>
  /** Waits for what was caused by the last step, then takes it. */
  takeBurst(): Promise<Burst>
}

const RECORD_HEAD_BYTES = 5
const APPLICATION_DATA = 23
/** A step that sends nothing to the client has sent nothing after so many turns of the loop. */
const SILENT_TURNS = 400
/** What is still between two sockets when the first of it arrived is there after these. */
const LATE_TURNS = 3

export async function openObservedWay(): Promise<ObservedWay> {
  let burst: Burst = { records: [], text: '' }
  let target = 0
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  const certificate = createCertificate()
  const terminator = createTlsServer({ ...certificate, minVersion: 'TLSv1.3' }, (secure) => {
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [secure, upstream]) keep(socket)
    join(secure, upstream)
  })
  const terminatorPort = await listen(terminator)
  const observer = createServer((client) => {
    const upstream = connect(terminatorPort, '127.0.0.1')
    for (const socket of [client, upstream]) keep(socket)
    const read = createRecordReader((length) => burst.records.push(length))
    upstream.on('data', read)
    join(client, upstream)
  })
  const observerPort = await listen(observer)
  return {
    async ask(targetPort, head, body) {
      target = targetPort
      const socket = connectTls({
        port: observerPort,
        host: '127.0.0.1',
        rejectUnauthorized: false,
      })
      socket.setNoDelay(true)
      await once(socket, 'secureConnect')
      socket.setEncoding('utf8')
      socket.on('data', (text: string) => {
        burst.text += text
      })
      socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
      await once(socket, 'end')
      socket.destroy()
    },
    async takeBurst() {
      for (let turn = 0; turn < SILENT_TURNS && burst.text === ''; turn += 1) await nextTurn()
      for (let turn = 0; turn < LATE_TURNS; turn += 1) await nextTurn()
      const taken = burst
      burst = { records: [], text: '' }
      return taken
    },
    async [Symbol.asyncDispose]() {
      const closed = [observer, terminator].map((server) => once(server.close(), 'close'))
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
    },
  }
}

function nextTurn(): Promise<void> {
  return new Promise((turn) => void setImmediate(turn))
}

/** Passes on what comes as it comes: whoever gathers or splits changes what can be seen. */
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setNoDelay(true)
    from.on('error', () => to.destroy())
    from.pipe(to)
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Tells the length of each encrypted record; what is in it stays unknown here. */
function createRecordReader(onRecord: (length: number) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    while (rest.length >= RECORD_HEAD_BYTES) {
      const length = rest.readUInt16BE(3)
      if (rest.length < RECORD_HEAD_BYTES + length) return
      if (rest[0] === APPLICATION_DATA) onRecord(length)
      rest = rest.subarray(RECORD_HEAD_BYTES + length)
    }
  }
}
