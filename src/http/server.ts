import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerResponse } from 'node:http'
import { ApiError } from '../contract/error.ts'
import type { Log } from '../lib/log.ts'
import { uuidV7 } from '../lib/uuid.ts'
import { followClient, type AnswerHeaders, type Call } from './call.ts'
import { answerPreflight, exposeToOrigin, isPreflight, type AllowedOrigins } from './cors.ts'
import { rawErrorResponse, respondError } from './errors.ts'

export type EdgeOptions = {
  readonly handle: (call: Call) => Promise<void>
  readonly origins: AllowedOrigins
  readonly exposedHeaders: string
  readonly connectionsMax: number
  readonly log: Log
  /** Told of every exchange when it is over. */
  readonly onEnd: (response: ServerResponse) => void
}

// By Node's defaults half a head may hold a connection for a minute, half a body for five.
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 60_000
const CHECKING_INTERVAL_MS = 1_000
/** Longer than the idle time of the usual load balancers, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000

export type Edge = {
  readonly server: Server
  /** Ends every running exchange with an error, as the time to finish is over. */
  breakOff(): void
  /** From here on every answer tells its client to connect anew. */
  announceEnd(): void
}

/** The edge of the data plane: every exchange gets its id here, and every fault its answer. */
export function createEdge(options: EdgeOptions): Edge {
  const server = createHttpServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECKING_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Node would answer a missing Host by itself, without an id: `faultOfHead` does it instead.
    requireHostHeader: false,
    noDelay: true,
  })
  server.maxConnections = options.connectionsMax
  const running = new Set<AbortController>()
  let ending = false
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    lastAnswers.set(request.socket, response)
    if (ending) response.setHeader('connection', 'close')
    void exchange(request, response, options, running)
  }
  server.on('request', onRequest)
  // Without these two Node answers 417 or just closes.
  server.on('checkExpectation', onRequest)
  server.on('connect', (_request, socket: Socket) =>
    socket.end(malformed('CONNECT is not supported')),
  )
  server.on('clientError', answerClientError)
  return {
    server,
    announceEnd() {
      ending = true
    },
    breakOff() {
      const told = 'The service is shutting down. Retry the request.'
      const headers = { 'retry-after': '1' }
      for (const exchanged of running)
        exchanged.abort(new ApiError('service_unavailable', told, { headers }))
    },
  }
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  options: EdgeOptions,
  running: Set<AbortController>,
): Promise<void> {
  if (isPreflight(request)) {
    answerPreflight(request, response, options.origins)
    return
  }
  const controller = followClient(response)
  const id = uuidV7()
  const headers: AnswerHeaders = { 'x-request-id': id, 'x-server-request-id': id }
  const call: Call = { id, request, response, headers, signal: controller.signal }
  running.add(controller)
  exposeToOrigin(request, headers, options.origins, options.exposedHeaders)
  try {
    const fault = faultOfHead(request)
    if (fault !== undefined) throw new ApiError('malformed_http', `The request ${fault}.`)
    await options.handle(call)
  } catch (error) {
    respondError(call, error, options.log)
  } finally {
    running.delete(controller)
    options.onEnd(response)
  }
}

/** Headers of which a second one would let two readers of one request disagree about it. */
const SINGLE_HEADERS = new Set(['host', 'authorization', 'content-type', 'content-length'])

function faultOfHead(request: IncomingMessage): string | undefined {
  if (request.headers.host === undefined) return 'has no Host header'
  const seen = new Set<string>()
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]?.toLowerCase() ?? ''
    if (!SINGLE_HEADERS.has(name)) continue
    if (seen.has(name)) return `has more than one ${name} header`
    seen.add(name)
  }
  const coding = request.headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return 'has a transfer encoding other than chunked'
  return undefined
}

/** The last answer on each connection, as far as there is one. */
const lastAnswers = new WeakMap<Socket, ServerResponse>()

/**
 * What Node could not parse as a request still gets an id and the error shape. Not so what comes
 * while an answer is under way, or in the body of a request that is answered already: a second
 * answer would pass for that to the client's next request.
 */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  const last = lastAnswers.get(socket)
  const answered = last !== undefined && last.headersSent
  if (answered && !(last.writableFinished && last.req.complete)) socket.destroy()
  else if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
  else socket.end(rawErrorResponse(clientErrorOf(error.code), uuidV7()))
}

function clientErrorOf(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('headers_too_large', 'The request headers are too large.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('request_timeout', 'The request was not received in time.')
  return new ApiError('malformed_http', 'The request is not well-formed HTTP.')
}

function malformed(what: string): string {
  return rawErrorResponse(new ApiError('malformed_http', `${what}.`), uuidV7())
}
