import type { ServerResponse } from 'node:http'
import type { ApiError } from '../contract/error.ts'
import type { Identity } from '../tenancy/identity.ts'
import type { ApiRequest } from './api-request.ts'

/** By lower-case name. A plain object is several times faster than `response.setHeader`. */
export type ResponseHeaders = Record<string, string | number>

/** One HTTP exchange. */
export type Call = {
  /** The x-request-id of the response; never taken from the client. */
  readonly id: string
  readonly request: ApiRequest
  readonly response: ServerResponse
  /** The response headers so far. An error response carries them too. Empty once a stream began. */
  headers: ResponseHeaders
  /**
   * Aborts when the response can no longer be completed: with ClientGone if the client
   * disconnected, or with the error to send if the service has to end the exchange.
   */
  readonly signal: AbortSignal
  /** Whose credential was sent, as soon as it is known, even if the request is then refused. */
  identity?: Identity
  /** Method and path as documented, for a path that exists; nothing that a client wrote. */
  operation?: string
  /** How an error is written, if the protocol has a form of its own. */
  errorForm?: (error: ApiError) => { readonly contentType: string; readonly body: object }
  /** The model that is asked for, if it is one that is served. */
  model?: string | null
}

/** The client disconnected: there is no one to respond to, and it is not an error. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export function clientIsGone({ signal }: Call): boolean {
  return signal.reason instanceof ClientGone
}

/**
 * Listens to the response, not the request: a request closes as soon as its body has been read,
 * which for every POST is long before the response ends.
 */
export function abortOnDisconnect(response: ServerResponse): AbortController {
  const controller = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) controller.abort(new ClientGone('the client disconnected'))
  })
  return controller
}
