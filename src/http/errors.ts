import { STATUS_CODES } from 'node:http'
import { ApiError } from '../contract/error.ts'
import { traceError, type Log } from '../lib/log.ts'
import { ClientGone, clientIsGone, type Call } from './call.ts'

/** The error to send for anything that a handler threw. Anything unexpected is a 500. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError(
    'internal_error',
    'Internal error. Retry; if it persists, contact support with the request id.',
    { cause: error },
  )
}

/** Sends an error response, with the headers that earlier steps have set. */
export function respondError(call: Call, error: unknown, log: Log): void {
  const { response, headers } = call
  if (clientIsGone(call) || error instanceof ClientGone) {
    response.destroy()
    return
  }
  const apiError = toApiError(error)
  if (apiError.kind === 'internal_error')
    log.error({ requestId: call.id, error: traceError(apiError.cause) }, 'internal error')
  else if (apiError.cause !== undefined)
    log.warn(
      { requestId: call.id, code: apiError.kind, error: traceError(apiError.cause) },
      'request failed',
    )
  if (response.headersSent) {
    // Breaks off a partial response: ended cleanly, it would look complete.
    if (!response.writableEnded) response.destroy()
    return
  }
  // A 401 carries x-request-id and no other header of the interface.
  if (apiError.status === 401) delete headers['x-server-request-id']
  const form = call.errorForm?.(apiError)
  const body = Buffer.from(JSON.stringify(form?.body ?? apiError.body()))
  Object.assign(headers, apiError.headers)
  headers['content-type'] = form?.contentType ?? 'application/json; charset=utf-8'
  headers['content-length'] = body.length
  response.writeHead(apiError.status, headers)
  response.end(body)
}

/** A response for a bare socket, on which Node could not parse a request. HEAD has no body. */
export function rawErrorResponse(error: ApiError, requestId: string, withBody = true): string {
  const body = JSON.stringify(error.body())
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    `x-server-request-id: ${requestId}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${withBody ? body : ''}`
}
