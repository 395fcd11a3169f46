import type { Headers } from '../processes/console.ts'
import type { ExampleRequest } from './example-request.ts'

export type RouteAnswer = {
  readonly status: number
  readonly requestId: string
  readonly headers: Headers
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[]
  /** Empty for a stream of events, which has no end. */
  readonly text: string
  /** The code of an error; empty if there is none. */
  readonly code: string
}

/** Sends a request whose answer may be anything that a route sends. */
export async function askRoute(
  root: string,
  { method, path, body, form = false }: ExampleRequest,
  headers: Headers,
): Promise<RouteAnswer> {
  const response = await fetch(`${root}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(method !== 'GET' && !form && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && {
      body: form ? new URLSearchParams(body as Record<string, string>) : JSON.stringify(body),
    }),
  })
  const { status } = response
  const facts = {
    status,
    requestId: response.headers.get('x-request-id') ?? '',
    headers: Object.fromEntries(response.headers),
    cookies: response.headers.getSetCookie(),
  }
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
    await response.body?.cancel()
    return { ...facts, text: '', code: '' }
  }
  const text = await response.text()
  return { ...facts, text, code: status < 400 ? '' : codeOf(text) }
}

function codeOf(text: string): string {
  try {
    return (JSON.parse(text) as { error: { code: string } }).error.code
  } catch {
    return 'no JSON'
  }
}
