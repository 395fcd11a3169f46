import { connect, type Socket } from 'node:net'
import { askWithoutEnd, type Asking } from '../../harness/clients/ask-without-end.ts'
import { openConsoleClient } from '../../harness/clients/console-clients.ts'
import { PUBLIC_URL } from '../../harness/processes/console.ts'

const FLOODERS = 48
const RESETTERS = 8
/** All connections of the client come from here. */
const NETWORK = { 'x-forwarded-for': '198.51.100.7' }

export type Hostile = AsyncDisposable & {
  /** Answers to what it sent, by status. */
  readonly answers: () => Record<string, number>
}

export type HostileClient = Hostile & {
  /** Connections whose bodies never arrive, at this moment. */
  readonly stalled: () => number
}

/**
 * One client at full speed: it guesses passwords, asks for links to the victim and to addresses
 * that nobody has, and keeps connections open whose bodies never arrive.
 */
export function startHostileClient(root: string, victim: string, stalled: number): HostileClient {
  const client = openConsoleClient(root, { connections: FLOODERS + RESETTERS })
  const post = async (path: string, body: object) =>
    (await client.send('POST', path, { body, headers: NETWORK })).status
  const guessing = askWithoutEnd(FLOODERS, (index) => {
    const email = index % 2 === 0 ? victim : `${crypto.randomUUID()}@example.com`
    return post('/sessions', { email, password: 'Winter-2026-pass' })
  })
  const resetting = askWithoutEnd(RESETTERS, (index) => {
    const email = index % 2 === 0 ? victim : `${crypto.randomUUID()}@example.com`
    return post('/password-resets', { email })
  })
  const stalling = keepStalled(root, stalled)
  return {
    answers: () => countsOf([guessing, resetting]),
    stalled: () => stalling.count(),
    async [Symbol.asyncDispose]() {
      stalling[Symbol.dispose]()
      for (const asking of [guessing, resetting]) asking.stop()
      await Promise.all([guessing.ended, resetting.ended])
      await client[Symbol.asyncDispose]()
    },
  }
}

export function countsOf(all: readonly Asking[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { answers } of all)
    for (const [status, count] of answers) counts[status] = (counts[status] ?? 0) + count
  return counts
}

/** So many connections with a body that is never complete. One that is closed is opened again. */
function keepStalled(root: string, count: number): Disposable & { count(): number } {
  const { hostname, port, pathname } = new URL(root)
  const sockets = new Set<Socket>()
  let isEnding = false
  const head = [
    `POST ${pathname}/sessions HTTP/1.1`,
    'host: x',
    `origin: ${PUBLIC_URL}`,
    `x-forwarded-for: ${NETWORK['x-forwarded-for']}`,
    'content-type: application/json',
    'content-length: 4096',
  ]
  const open = () => {
    const socket = connect({ host: hostname, port: Number(port) })
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('connect', () => void socket.write(`${head.join('\r\n')}\r\n\r\n{"email":"`))
    socket.on('close', () => {
      sockets.delete(socket)
      if (!isEnding) open()
    })
    socket.resume()
  }
  for (let number = 0; number < count; number += 1) open()
  return {
    count: () => [...sockets].filter(({ bytesWritten }) => bytesWritten > 0).length,
    [Symbol.dispose]() {
      isEnding = true
      for (const socket of sockets) socket.destroy()
    },
  }
}
