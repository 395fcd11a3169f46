import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export type Target = { readonly apiRoot: string; readonly key: string }

/** What one write to a connection contains. */
const WRITE_BYTES = 65_536
const TICK_MS = 5
const OPENED_PER_TICK = 50

export function headOf({ apiRoot, key }: Target, ...fields: readonly string[]): string {
  const { host, pathname } = new URL(apiRoot)
  const head = [
    `POST ${pathname}/chat/completions HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    ...fields,
  ]
  return `${head.join('\r\n')}\r\n\r\n`
}

export function openSocket({ apiRoot }: Target, sent: string): Socket {
  const { hostname, port } = new URL(apiRoot)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(sent)
  return socket
}

/** Sends a body in chunks of the same size, all but its end, and stays connected. */
export async function holdChunked(
  target: Target,
  bytes: number,
  chunkBytes: number,
): Promise<Socket> {
  const socket = openSocket(target, headOf(target, 'transfer-encoding: chunked'))
  const chunk = `${chunkBytes.toString(16)}\r\n${' '.repeat(chunkBytes)}\r\n`
  const perWrite = Math.ceil(WRITE_BYTES / chunk.length)
  const write = chunk.repeat(perWrite)
  for (let left = bytes / chunkBytes; left > 0; left -= perWrite) {
    const part = left >= perWrite ? write : chunk.repeat(left)
    if (!socket.write(part)) await once(socket, 'drain')
  }
  return socket
}

/** A refusal as its client received it. */
export type Refusal = { readonly status: number; readonly head: string; readonly body: string }

export type Flood = {
  readonly refusals: readonly Refusal[]
  readonly sentBytes: number
  close(): void
}

export type FloodOptions = {
  readonly connections: number
  readonly bodyBytes: number
  /** Of all connections together: the machine is shared with the service. */
  readonly bytesPerSecond: number
  readonly bytes: number
  /** The flood ends when everything is sent and so many uploads were refused, or after this. */
  readonly refusals: number
  readonly durationMs: number
  /** Ends the flood early. */
  readonly enough: () => boolean
}

/**
 * Opens all connections and sends to each in turn, all but the last byte of its body. They go on
 * sending after a refusal.
 */
export async function flood(target: Target, options: FloodOptions): Promise<Flood> {
  const { connections, bodyBytes, bytesPerSecond, durationMs } = options
  const uploads: { readonly socket: Socket; left: number }[] = []
  const refusals: Refusal[] = []
  const part = Buffer.alloc(WRITE_BYTES, ' ')
  const begunMs = performance.now()
  let sentBytes = 0
  let next = 0
  const head = headOf(target, `content-length: ${bodyBytes}`)
  const isOver = () => sentBytes >= options.bytes && refusals.length >= options.refusals
  while (performance.now() - begunMs < durationMs && !isOver() && !options.enough()) {
    for (let more = OPENED_PER_TICK; more > 0 && uploads.length < connections; more -= 1) {
      const socket = openSocket(target, head)
      socket.on('data', (answer: Buffer) => void refusals.push(readRefusal(answer.toString())))
      uploads.push({ socket, left: bodyBytes - 1 })
    }
    const since = (performance.now() - begunMs) / 1000
    const due = Math.min(options.bytes, since * bytesPerSecond)
    for (let turn = 0; turn < uploads.length && sentBytes < due; turn += 1) {
      const upload = uploads[(next += 1) % uploads.length]
      if (upload === undefined || upload.left === 0 || upload.socket.writableNeedDrain) continue
      const bytes = Math.min(upload.left, part.length)
      upload.socket.write(part.subarray(0, bytes))
      upload.left -= bytes
      sentBytes += bytes
    }
    // pacing: uploads send their parts in turns.
    await pause(TICK_MS)
  }
  const close = () => {
    for (const { socket } of uploads) socket.destroy()
  }
  return { refusals, sentBytes, close }
}

function readRefusal(text: string): Refusal {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1] ?? 0), head, body }
}
