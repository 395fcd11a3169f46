import { connect, type Socket } from 'node:net'

export type RawAnswer = {
  /** 0 if the connection ended without a response. */
  readonly status: number
  readonly head: string
  readonly body: string
  /** Bytes after the response on the same connection, up to the last read. */
  readonly rest: string
  readonly elapsedMs: number
  /** Whether the server closed within the timeout. */
  readonly closed: boolean
}

export type RawOptions = {
  /** Ends the client's side if there is no response for a while, like a client that gives up. */
  readonly end?: boolean
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 5_000
/** Long enough for a server that has the whole request, and short enough to wait for if not. */
const QUIET_MS = 150

/** Sends raw bytes and waits for one complete response, or for the end of the connection. */
export async function exchangeRaw(
  address: URL,
  bytes: string | Buffer,
  { end = false, timeoutMs = TIMEOUT_MS }: RawOptions = {},
): Promise<RawAnswer> {
  const startedMs = performance.now()
  const socket = connect(Number(address.port), address.hostname)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let received = Buffer.alloc(0)
  const timeout = setTimeout(() => resolve(false), timeoutMs)
  socket.on('data', (part: Buffer) => {
    received = Buffer.concat([received, part])
    if (isComplete(received)) resolve(false)
  })
  // Some servers reset the connection after the response if the client goes on sending.
  socket.on('error', () => resolve(true))
  socket.once('close', () => resolve(true))
  socket.write(bytes)
  const givingUp = end ? setTimeout(() => socket.end(), QUIET_MS) : undefined
  const closed = await promise
  clearTimeout(timeout)
  clearTimeout(givingUp)
  const elapsedMs = performance.now() - startedMs
  leave(socket)
  return { ...readAnswer(received), elapsedMs, closed }
}

function leave(socket: Socket): void {
  socket.removeAllListeners('data')
  socket.destroy()
}

const HEAD_END = '\r\n\r\n'

function readAnswer(received: Buffer): Pick<RawAnswer, 'status' | 'head' | 'body' | 'rest'> {
  const final = withoutInterim(received)
  const text = final.toString('latin1')
  const split = text.indexOf(HEAD_END)
  if (split === -1) return { status: 0, head: text, body: '', rest: '' }
  const head = text.slice(0, split)
  const begin = split + HEAD_END.length
  const end = begin + (announcedLength(head) ?? final.length)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0),
    head,
    body: final.subarray(begin, end).toString(),
    rest: final.subarray(end).toString(),
  }
}

/** The bytes after interim (1xx) responses. */
function withoutInterim(received: Buffer): Buffer {
  const interim = /^HTTP\/1\.1 1\d\d [^]*?\r\n\r\n/.exec(received.toString('latin1'))
  return interim === null ? received : withoutInterim(received.subarray(interim[0].length))
}

function announcedLength(head: string): number | undefined {
  const length = /^content-length: (\d+)$/im.exec(head)?.[1]
  return length === undefined ? undefined : Number(length)
}

/** By Content-Length or the last chunk. */
function isComplete(received: Buffer): boolean {
  const final = withoutInterim(received)
  const text = final.toString('latin1')
  const split = text.indexOf(HEAD_END)
  if (split === -1) return false
  const length = announcedLength(text.slice(0, split))
  if (length !== undefined) return final.length >= split + HEAD_END.length + length
  return text.startsWith('HTTP/1.1 204 ') || text.endsWith('\r\n0\r\n\r\n')
}

export function headerOf({ head }: { readonly head: string }, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim()
}
