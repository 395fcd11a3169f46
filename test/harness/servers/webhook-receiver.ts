import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type ReceivedCall = {
  readonly body: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** What was answered; 0 if nothing was. */
  readonly status: number
}

/** A real receiver of webhooks, which answers as it is told. */
export async function startReceiver() {
  const received: ReceivedCall[] = []
  /** Calls that are still answered; further ones are held. */
  const state = { status: 204, answers: Number.POSITIVE_INFINITY }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      state.answers -= 1
      const status = state.answers < 0 ? 0 : state.status
      received.push({ body, headers: request.headers, status })
      if (status !== 0) response.writeHead(status).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/siem`,
    received,
    state,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
