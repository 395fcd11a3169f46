import { once } from 'node:events'
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { createCertificate } from '../../harness/servers/certificate.ts'

/** What the service sent between two moments: TLS records on the wire, and text to the client. */
export type Burst = { records: number[]; text: string }

/** client ← observer ← TLS terminator ← service. Only the observer's numbers are the finding. */
export type ObservedPath = AsyncDisposable & {
  /** Sends a request and resolves when its answer has ended. */
  ask(targetPort: number, head: string, body: string): Promise<void>
  /** Waits for the effect of the last step, then takes it. */
  takeBurst(): Promise<Burst>
}

const RECORD_HEAD_BYTES = 5
const APPLICATION_DATA = 23
/** A step with no effect after so many turns of the event loop has none. */
const SILENT_TURNS = 400
/** Bytes still between two sockets when the first arrived have arrived after so many turns. */
const LATE_TURNS = 3

export async function openObservedPath(): Promise<ObservedPath> {
  let burst: Burst = { records: [], text: '' }
  let target = 0
  const sockets = new Set<Socket>()
  /** Forwards bytes unchanged: gathering or splitting them would change what is seen. */
  const join = (one: Socket, other: Socket) => {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      sockets.add(from)
      from.once('close', () => sockets.delete(from))
      from.setNoDelay(true)
      from.on('error', () => to.destroy())
      from.pipe(to)
    }
  }
  const certificate = createCertificate()
  const terminator = createTlsServer({ ...certificate, minVersion: 'TLSv1.3' }, (secure) =>
    join(secure, connect(target, '127.0.0.1')),
  )
  const terminatorPort = await listen(terminator)
  const observer = createServer((client) => {
    const upstream = connect(terminatorPort, '127.0.0.1')
    upstream.on(
      'data',
      createRecordReader((length) => burst.records.push(length)),
    )
    join(client, upstream)
  })
  const port = await listen(observer)
  return {
    async ask(targetPort, head, body) {
      target = targetPort
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
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

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Reports the length of each encrypted record; its content stays unknown here. */
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
