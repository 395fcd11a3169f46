import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'

/** What our adapter sent to an engine for one generation. */
export type Recorded = Readonly<Record<string, unknown>>

/** Stands between the api and a real engine, and keeps what is asked of the engine. */
export type RecordingProxy = AsyncDisposable & {
  readonly url: string
  /** The generation that was asked with this seed, which a caller chooses for each request. */
  take(seed: number): Recorded | undefined
}

const GENERATION_PATH = '/v1/chat/completions'

export async function startRecordingProxy(engineUrl: string): Promise<RecordingProxy> {
  // Bounded by what is under way: every request takes out what it put in.
  const recorded = new Map<number, Recorded>()
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request)
    if (request.url === GENERATION_PATH) {
      const asked = JSON.parse(body) as Recorded
      recorded.set(asked['seed'] as number, asked)
    }
    const { method = 'POST', url: path = '/', headers } = request
    const { authorization = '' } = headers
    const kept = { 'content-type': 'application/json', authorization }
    // No connection is kept: the engine closes them when it likes.
    const upstream = ask(`${engineUrl}${path}`, { method, headers: kept, agent: false })
    upstream.end(body)
    const [answered] = (await once(upstream, 'response')) as [IncomingMessage]
    const type = answered.headers['content-type'] ?? 'application/json'
    response.writeHead(answered.statusCode ?? 502, { 'content-type': type })
    await pipeline(answered, response)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take(seed) {
      const body = recorded.get(seed)
      recorded.delete(seed)
      return body
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}
