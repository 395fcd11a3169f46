import { STATUS_CODES, type IncomingMessage } from 'node:http'
import { ApiError } from '../contract/error.ts'
import { traceError, type Log } from '../lib/log.ts'
import { ClientGone, clientIsGone, type Call } from './call.ts'

/** What the client is shown for whatever a handler threw. Anything unforeseen is our own fault. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError('internal_error', 'The service met an unexpected fault.', { cause: error })
}

/** How much of a body is read and thrown away after an early answer, before the connection goes. */
const DISCARDED_BYTES_MAX = 16 * 1024 * 1024

/** Answers with an error body. The headers that earlier steps have set stay. */
export function respondError(call: Call, error: unknown, log: Log): void {
  const { response, headers } = call
  if (clientIsGone(call) || error instanceof ClientGone) {
    response.destroy()
    return
  }
  const shown = toApiError(error)
  if (shown.kind === 'internal_error')
    log.error({ requestId: call.id, error: traceError(shown.cause) }, 'internal error')
  else if (shown.cause !== undefined)
    log.warn(
      { requestId: call.id, code: shown.kind, error: traceError(shown.cause) },
      'request failed',
    )
  if (response.headersSent) {
    // A half-sent answer can only be broken off: a clean end would pass for a complete one.
    if (!response.writableEnded) response.destroy()
    return
  }
  // A stranger gets the id and nothing else that the interface lists.
  if (shown.status === 401) delete headers['x-server-request-id']
  const body = Buffer.from(JSON.stringify(shown.body()))
  Object.assign(headers, shown.headers)
  headers['content-type'] = 'application/json; charset=utf-8'
  headers['content-length'] = body.length
  response.writeHead(shown.status, headers)
  response.end(body)
  discardRest(call.request)
}

/**
 * Closing on a client that is still sending resets the connection, and the client may never see
 * the answer. So the rest is read, up to a bound, and thrown away.
 */
function discardRest(request: IncomingMessage): void {
  if (request.complete) return
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > DISCARDED_BYTES_MAX) request.destroy()
  })
  request.resume()
}

/** An answer written to a bare socket, where Node has parsed no request to answer. */
export function rawErrorResponse(error: ApiError, requestId: string): string {
  const body = JSON.stringify(error.body())
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    `x-server-request-id: ${requestId}`,
    'connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
