import type { IncomingMessage, ServerResponse } from 'node:http'

/** By lower-case name. Node's own store of them costs several times as much. */
export type AnswerHeaders = Record<string, string | number>

/** One HTTP exchange. */
export type Call = {
  /** What the client sees as x-request-id; never what the client sent. */
  readonly id: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** What steps have decided on so far. The answer carries it, be it an error or not. */
  readonly headers: AnswerHeaders
  /**
   * Aborts when the answer can no longer be completed: with ClientGone when the client left, or
   * with the error that the client is shown when the service has to break it off.
   */
  readonly signal: AbortSignal
}

/** The client left: nobody is there to answer, and it is nobody's fault. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

export function clientIsGone({ signal }: Call): boolean {
  return signal.reason instanceof ClientGone
}

/**
 * Follows the response, not the request: a request closes as soon as its body has been read, which
 * for every POST is long before the answer.
 */
export function followClient(response: ServerResponse): AbortController {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new ClientGone('the client left'))
  })
  return controller
}
