import type { ErrorName } from '../contract/error.ts'
import { ClientGone, clientIsGone, type Call } from './call.ts'
import { toApiError } from './errors.ts'

/** How an exchange ended, for metrics and the access log. */
export type RequestEnd = {
  readonly status: number
  /** `failed`: a stream that ended with an error event; `broken`: not sent completely. */
  readonly ended: 'whole' | 'failed' | 'broken'
  /** The error, also of a stream that failed. Null if the client left. */
  readonly code: ErrorName | null
}

/** `error` is what the handler threw, after it was answered. */
export function endOf(call: Call, error: unknown): RequestEnd {
  const { statusCode: status, writableEnded } = call.response
  const left = clientIsGone(call) || error instanceof ClientGone
  const code = error === undefined || left ? null : toApiError(error).kind
  const whole = code !== null && status < 400 ? 'failed' : 'whole'
  return { status, ended: writableEnded ? whole : 'broken', code }
}
