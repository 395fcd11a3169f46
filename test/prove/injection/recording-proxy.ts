import { pipeline } from 'node:stream/promises'
import { request } from 'undici'
import { startFakeEngine } from '../../harness/fake-engine/server.ts'

/** What the adapter sent to an engine for one generation. */
export type Recorded = Readonly<Record<string, unknown>>

/** Forwards generations to a real engine and records their requests. */
export type RecordingProxy = AsyncDisposable & {
  readonly url: string
  /** The generation with this seed, which a caller chooses for each request. */
  take(seed: number): Recorded | undefined
}

export async function startRecordingProxy(engineUrl: string): Promise<RecordingProxy> {
  // Bounded by the open requests: each takes out what it put in.
  const recorded = new Map<unknown, Recorded>()
  const proxy = await startFakeEngine(
    async ({ body, response }) => {
      recorded.set(body['seed'], body)
      const answer = await post(`${engineUrl}/v1/chat/completions`, body)
      const type = String(answer.headers['content-type'] ?? 'application/json')
      response.writeHead(answer.statusCode, { 'content-type': type })
      await pipeline(answer.body, response)
    },
    { others: engineUrl },
  )
  return Object.assign(proxy, {
    take(seed: number) {
      const body = recorded.get(seed)
      recorded.delete(seed)
      return body
    },
  })
}

/** Keeps no connection open: the engine closes idle ones at any time. */
export async function post(url: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  return request(url, { method: 'POST', headers, body: JSON.stringify(body), reset: true })
}
