import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { timeUntil } from '../../harness/figures/measure.ts'

/** An alert as Alertmanager sends it. */
export type SentAlert = {
  readonly status: 'firing' | 'resolved'
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export type ReceivedAlert = SentAlert & {
  /** The path of the URL that its receiver is configured with. */
  readonly path: string
}

/** What an operator's paging service would be. */
export type Webhook = AsyncDisposable & {
  readonly url: string
  readonly received: readonly ReceivedAlert[]
  /** The first alert that matches, or undefined after the timeout. */
  waitFor(
    matches: (alert: ReceivedAlert) => boolean,
    timeoutMs: number,
  ): Promise<ReceivedAlert | undefined>
}

export async function startWebhook(): Promise<Webhook> {
  const received: ReceivedAlert[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    void json(request).then((body) => {
      const { alerts } = body as { readonly alerts: readonly SentAlert[] }
      received.push(...alerts.map((alert) => ({ ...alert, path })))
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async waitFor(matches, timeoutMs) {
      await timeUntil(() => received.some(matches), timeoutMs)
      return received.find(matches)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
