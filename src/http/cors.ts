import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnswerHeaders } from './call.ts'

/** Origins that a browser may call from: all, or those listed. Never with credentials. */
export type AllowedOrigins = 'all' | ReadonlySet<string>

const PREFLIGHT_MAX_AGE_SECONDS = 7_200

/** Browsers ask for the headers they will send; SDKs add some of their own (x-stainless-…). */
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
  const headers: AnswerHeaders = {}
  if (allowOrigin(request, headers, origins)) {
    const asked = request.headers['access-control-request-headers']
    const named = typeof asked === 'string' && HEADER_NAMES.test(asked) ? asked : undefined
    headers['access-control-allow-methods'] = 'GET, POST'
    headers['access-control-allow-headers'] = named ?? 'authorization, content-type'
    headers['access-control-max-age'] = PREFLIGHT_MAX_AGE_SECONDS
  }
  response.writeHead(204, headers)
  response.end()
}

/** Lets a page read the answer and the headers that it needs to behave well. */
export function exposeToOrigin(
  request: IncomingMessage,
  headers: AnswerHeaders,
  origins: AllowedOrigins,
  exposedHeaders: string,
): void {
  if (request.headers.origin === undefined) return
  if (allowOrigin(request, headers, origins))
    headers['access-control-expose-headers'] = exposedHeaders
}

function allowOrigin(
  request: IncomingMessage,
  headers: AnswerHeaders,
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
