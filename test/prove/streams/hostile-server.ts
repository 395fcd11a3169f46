import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hostile } from './mutate-stream.ts'

/** Sends what it was offered, over real connections. */
export type HostileServer = AsyncDisposable & {
  readonly url: string
  /** Keeps a stream until it is asked for by the name that is returned. */
  offer(seed: number, hostile: Hostile): string
  /** What was written by the last generation that was asked to pour. */
  pouredBytes(): number
}

/** The model that never ends its answer, whatever it was asked for. */
export const POURED = 'pours'
/** Whoever takes so much of it takes everything. */
export const POURED_BYTES_MAX = 64 * 1024 * 1024
const POURED_EVENT = Buffer.from(
  `data: {"choices":[{"delta":{"content":"${'x'.repeat(65_536)}"}}]}\n\n`,
)

export async function startHostileServer(): Promise<HostileServer> {
  const offered = new Map<string, Hostile>()
  let poured = 0
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
    const { model } = JSON.parse(Buffer.concat(parts).toString()) as { model: string }
    if (model === POURED) {
      await pour(response, (bytes) => (poured = bytes))
      return
    }
    const hostile = offered.get(model)
    offered.delete(model)
    if (hostile === undefined) throw new Error('a stream that was not offered')
    await send(response, hostile)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    offer(seed, hostile) {
      const name = `${seed} ${crypto.randomUUID()}`
      offered.set(name, hostile)
      return name
    },
    pouredBytes: () => poured,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function send(response: ServerResponse, { parts, ending }: Hostile): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const part of parts) {
    if (response.destroyed) return
    response.write(part)
    // Parts that are written in one turn would arrive as one.
    if (parts.length < 200) await new Promise(setImmediate)
  }
  if (ending === 'end') response.end()
  else if (ending === 'break') response.socket?.resetAndDestroy()
}

async function pour(response: ServerResponse, count: (bytes: number) => void): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  for (let bytes = 0; bytes < POURED_BYTES_MAX && !response.destroyed;) {
    bytes += POURED_EVENT.length
    count(bytes)
    if (!response.write(POURED_EVENT))
      await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
  }
  response.end()
}
