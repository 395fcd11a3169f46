import { headOf, openSocket, type Target } from './uploads.ts'

/** How a slow connection ended. */
export type SlowEnd = { readonly afterMs: number; readonly status: number }

const DRIP_MS = 1_000

/** Connections that send a byte of their head, or a chunk of their body, every second. */
export function openSlowClients(
  target: Target,
  part: 'head' | 'body',
  count: number,
): Promise<SlowEnd[]> {
  const whole = headOf(target, 'transfer-encoding: chunked')
  const begin = part === 'head' ? whole.slice(0, -'\r\n\r\n'.length) : whole
  const drip = part === 'head' ? 'x' : '1\r\n \r\n'
  return Promise.all(Array.from({ length: count }, () => openSlow(target, begin, drip)))
}

async function openSlow(target: Target, begin: string, drip: string): Promise<SlowEnd> {
  const begunMs = performance.now()
  const socket = openSocket(target, begin)
  let answer = ''
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString()))
  const timer = setInterval(() => socket.write(drip), DRIP_MS)
  // Not `once`, which rejects when the server resets a connection that goes on sending.
  await new Promise<void>((closed) => void socket.once('close', () => closed()))
  clearInterval(timer)
  const status = Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? 0)
  return { afterMs: performance.now() - begunMs, status }
}
