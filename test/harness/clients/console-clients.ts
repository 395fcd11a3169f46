import { Agent } from 'undici'
import { PUBLIC_URL, type Headers } from '../processes/console.ts'

export type ConsoleAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly ms: number
}

export type ConsoleCall = {
  readonly as?: Headers
  readonly body?: unknown
  readonly headers?: Headers
}

/** A client with connections of its own to one console process. */
export type ConsoleClient = AsyncDisposable & {
  send(method: string, path: string, call?: ConsoleCall): Promise<ConsoleAnswer>
}

const TIMEOUT_MS = 60_000

/** `localAddress` lets a client come from another address of the loopback network. */
export function openConsoleClient(
  root: string,
  options: { readonly connections?: number; readonly localAddress?: string } = {},
): ConsoleClient {
  const { origin, pathname } = new URL(root)
  const agent = new Agent({
    connections: options.connections ?? 1,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    ...(options.localAddress !== undefined && { localAddress: options.localAddress }),
  })
  return {
    async send(method, path, { as = { origin: PUBLIC_URL }, body, headers = {} } = {}) {
      const begunMs = performance.now()
      const answer = await agent.request({
        origin,
        method,
        path: `${pathname}${path}`,
        headers: {
          ...(method !== 'GET' && { 'content-type': 'application/json' }),
          ...as,
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
      })
      const text = await answer.body.text()
      const ms = performance.now() - begunMs
      return { status: answer.statusCode, headers: answer.headers, text, ms }
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  }
}

export function errorCodeOf({ text }: Pick<ConsoleAnswer, 'text'>): string {
  return text === '' ? '' : ((JSON.parse(text) as { error?: { code: string } }).error?.code ?? '')
}
