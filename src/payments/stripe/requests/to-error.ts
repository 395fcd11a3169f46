import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { ProviderError, type ProviderFailure } from '../../provider-error.ts'

const ErrorAnswer = Type.Object({
  error: Type.Object({
    type: Type.Optional(Type.String()),
    code: Type.Optional(Type.String()),
    decline_code: Type.Optional(Type.String()),
    param: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
  }),
})

type Told = Static<typeof ErrorAnswer>['error']

const MESSAGE_LENGTH_MAX = 300

/** What an answer of Stripe that is not 2xx means for whoever asked. */
export function toError(
  request: string,
  { status, isReplayed }: { readonly status: number; readonly isReplayed: boolean },
  body: unknown,
): ProviderError {
  const error: Told = Check(ErrorAnswer, body) ? body.error : {}
  const message = error.message?.slice(0, MESSAGE_LENGTH_MAX) ?? 'no message'
  const code = error.decline_code ?? error.code
  // Stripe saves its own failures under the key, too, for 24 hours.
  const failure = isReplayed && status >= 500 ? 'key_spent' : failureOf(status, error)
  return new ProviderError(failure, `${request}: ${status} ${message}`, { status, code })
}

function failureOf(status: number, { type, code, param }: Told): ProviderFailure {
  if (code === 'idempotency_key_in_use') return 'key_in_use'
  if (code === 'resource_missing' && param === 'customer') return 'customer_gone'
  if (status === 402) return 'declined'
  if (status === 401 || status === 403) return 'denied'
  if (status === 404) return 'not_found'
  if (status === 429 || status === 409 || status >= 500 || status < 400) return 'unavailable'
  return type === 'idempotency_error' ? 'key_changed' : 'refused'
}
