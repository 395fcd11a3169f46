import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ResponseHeaders } from './call.ts'

/** Origins that browsers may call from. Credentials (cookies) are never allowed. */
export type AllowedOrigins = 'all' | ReadonlySet<string>

const PREFLIGHT_MAX_AGE_SECONDS = 7_200

/** Browsers request the headers that they will send; SDKs add their own (x-stainless-…). */
const HEADER_NAMES = /^[A-Za-z0-9\-, ]{1,2000}$/

export function isPreflight(request: IncomingMessage): boolean {
  return (
    request.method === 'OPTIONS' &&
    request.headers.origin !== undefined &&
    request.headers['access-control-request-method'] !== undefined
  )
}

export function answerPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  origins: AllowedOrigins,
): void {
  const headers: ResponseHeaders = {}
  if (allowOrigin(request, headers, origins)) {
    const requested = request.headers['access-control-request-headers']
    const isValid = typeof requested === 'string' && HEADER_NAMES.test(requested)
    headers['access-control-allow-methods'] = 'GET, POST'
    headers['access-control-allow-headers'] = isValid ? requested : 'authorization, content-type'
    headers['access-control-max-age'] = PREFLIGHT_MAX_AGE_SECONDS
  }
  response.writeHead(204, headers)
  response.end()
}

/** Lets a page read the response and the listed headers, such as those for retries. */
export function exposeToOrigin(
  request: IncomingMessage,
  headers: ResponseHeaders,
  origins: AllowedOrigins,
  exposedHeaders: string,
): void {
  if (request.headers.origin === undefined) return
  if (allowOrigin(request, headers, origins))
    headers['access-control-expose-headers'] = exposedHeaders
}

function allowOrigin(
  request: IncomingMessage,
  headers: ResponseHeaders,
  origins: AllowedOrigins,
): boolean {
  if (origins === 'all') {
    headers['access-control-allow-origin'] = '*'
    return true
  }
  const origin = request.headers.origin
  headers['vary'] = 'origin'
  if (origin === undefined || !origins.has(origin)) return false
  headers['access-control-allow-origin'] = origin
  return true
}
