import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '../contract/error.ts'
import type { Log } from '../lib/log.ts'
import { Roster, type RosterEntry } from '../lib/running/roster.ts'
import { uuidV7 } from '../lib/uuid.ts'
import { ApiRequest } from './api-request.ts'
import { abortOnDisconnect, type ResponseHeaders, type Call } from './call.ts'
import { answerPreflight, exposeToOrigin, isPreflight, type AllowedOrigins } from './cors.ts'
import { rawErrorResponse, respondError } from './errors.ts'

export type ApiServerOptions = {
  readonly handle: (call: Call) => Promise<void>
  readonly origins: AllowedOrigins
  readonly exposedHeaders: string
  readonly connectionsMax: number
  /** For tests; the defaults are below. */
  readonly timeouts?: RequestTimeouts
  readonly log: Log
  /** Called when an exchange is over, with what its handler threw. */
  readonly onEnd: (call: Call, error: unknown) => void
}

/** How long a client may take to send the headers, and the whole request. */
export type RequestTimeouts = { readonly headersMs: number; readonly requestMs: number }

// With Node's defaults an incomplete head may hold a connection for a minute, a body for five.
const TIMEOUTS: RequestTimeouts = { headersMs: 10_000, requestMs: 60_000 }
const CHECKING_INTERVAL_MS = 1_000
/** Longer than the idle timeout of common load balancers, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000

export type ApiServer = {
  readonly server: Server
  /** Ends every running exchange with 503, or with an error event if its stream has started. */
  abortRequests(): void
  /** From now on every response asks its client to reconnect (`connection: close`). */
  announceShutdown(): void
}

/** The HTTP server of the data plane: assigns request ids and turns errors into responses. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { headersMs, requestMs } = options.timeouts ?? TIMEOUTS
  const server = createHttpServer<typeof ApiRequest>({
    IncomingMessage: ApiRequest,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: CHECKING_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Node would respond to a missing Host without a request id, so `headViolation` checks it.
    requireHostHeader: false,
    noDelay: true,
  })
  server.maxConnections = options.connectionsMax
  const running = new Roster<Exchange>()
  let shuttingDown = false
  const onRequest = (request: ApiRequest, response: ServerResponse) => {
    lastResponses.set(request.socket, response)
    if (shuttingDown) response.setHeader('connection', 'close')
    void exchange(request, response, options, running)
  }
  server.on('request', onRequest)
  // Without these two handlers Node responds 417 or closes the connection.
  server.on('checkExpectation', onRequest)
  server.on('connect', (_request, socket: Socket) =>
    answerRaw(socket, new ApiError('malformed_http', 'CONNECT is not supported.')),
  )
  server.on('clientError', answerClientError)
  return {
    server,
    announceShutdown() {
      shuttingDown = true
    },
    abortRequests() {
      const message = 'The service is shutting down. Retry the request.'
      const headers = { 'retry-after': '1' }
      for (const { controller } of running)
        controller.abort(new ApiError('service_unavailable', message, { headers }))
    },
  }
}

type Exchange = RosterEntry & { readonly controller: AbortController }

async function exchange(
  request: ApiRequest,
  response: ServerResponse,
  options: ApiServerOptions,
  running: Roster<Exchange>,
): Promise<void> {
  if (isPreflight(request)) {
    answerPreflight(request, response, options.origins)
    request.discardBody()
    return
  }
  const controller = abortOnDisconnect(response)
  const id = uuidV7()
  const headers: ResponseHeaders = { 'x-request-id': id, 'x-server-request-id': id }
  const call: Call = { id, request, response, headers, signal: controller.signal }
  let failure: unknown
  const entry: Exchange = { controller, place: -1 }
  running.add(entry)
  exposeToOrigin(request, headers, options.origins, options.exposedHeaders)
  try {
    const violation = headViolation(request)
    if (violation !== undefined) throw new ApiError('malformed_http', `The request ${violation}.`)
    await options.handle(call)
  } catch (error) {
    failure = error
    respondError(call, error, options.log)
  } finally {
    running.remove(entry)
    request.discardBody()
    options.onEnd(call, failure)
  }
}

/** If one of these were repeated, a proxy could interpret the request differently. */
const SINGLE_HEADERS = new Set(['host', 'authorization', 'content-type', 'content-length'])

function headViolation(request: IncomingMessage): string | undefined {
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

/** The last response on each connection. */
const lastResponses = new WeakMap<Socket, ServerResponse>()

/**
 * A request that Node could not parse still gets an id and an error body. But a client takes every
 * response for that to its oldest open request. So while an earlier request is open, it is answered
 * first and the connection then closed; and while a response is being sent, or the body of an
 * answered request is still arriving, the connection is only closed.
 */
function answerRaw(socket: Socket, error: ApiError): void {
  const last = lastResponses.get(socket)
  const open = last !== undefined && !(last.writableFinished && last.req.complete)
  if (!socket.writable || (open && last.headersSent)) socket.destroy()
  else if (open && last.req.complete) last.setHeader('connection', 'close')
  else {
    const withBody = !open || last.req.method !== 'HEAD'
    socket.end(rawErrorResponse(error, uuidV7(), withBody))
  }
}

function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy()
  else answerRaw(socket, clientErrorOf(error.code))
}

function clientErrorOf(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('headers_too_large', 'The request headers are too large.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('request_timeout', 'The request was not received in time.')
  return new ApiError('malformed_http', 'The request is not well-formed HTTP.')
}
