import { Pool } from 'undici'

/** One exchange as a client saw it, with the moments between which it happened. */
export type Exchange = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly begunMs: number
  readonly endedMs: number
}

export type Sent = {
  readonly method: string
  /** Below the API root. */
  readonly path: string
  /** The whole of the header; undefined sends none. */
  readonly authorization: string | undefined
  readonly body?: string
}

/** Connections to one process of the api that are kept open. */
export type Line = AsyncDisposable & {
  send(sent: Sent): Promise<Exchange>
  /** GET /models: the cheapest operation that is admitted. */
  models(key: string): Promise<Exchange>
  /** POST /chat/completions. */
  chat(key: string, body: object): Promise<Exchange>
}

const TIMEOUT_MS = 30_000

export function openLine(apiRoot: string, connections: number, timeoutMs = TIMEOUT_MS): Line {
  const { origin, pathname } = new URL(apiRoot)
  const pool = new Pool(origin, {
    connections,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  const send = async ({ method, path, authorization, body }: Sent): Promise<Exchange> => {
    const begunMs = performance.now()
    const answer = await pool.request({
      method,
      path: `${pathname}${path}`,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body ?? null,
    })
    const text = await answer.body.text()
    const headers = answer.headers as Record<string, string>
    return { status: answer.statusCode, headers, text, begunMs, endedMs: performance.now() }
  }
  return {
    send,
    models: (key) => send({ method: 'GET', path: '/models', authorization: `Bearer ${key}` }),
    chat: (key, body) =>
      send({
        method: 'POST',
        path: '/chat/completions',
        authorization: `Bearer ${key}`,
        body: JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: () => pool.destroy(),
  }
}

export function durationMs({ begunMs, endedMs }: Exchange): number {
  return endedMs - begunMs
}

/** The code of an error, null where it has none, undefined where the answer is no error. */
export function codeOf({ text }: { readonly text: string }): string | null | undefined {
  const { error } = JSON.parse(text) as { error?: { code: string | null } }
  return error?.code
}
