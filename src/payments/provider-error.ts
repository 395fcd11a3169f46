/**
 * `unavailable`: no answer, or one that says nothing about the request; it may have been carried
 * out, so it is repeated with the same key. `key_in_use`: the first request with this key still
 * runs. `key_changed`: the key was used for another request. `key_spent`: the provider failed at
 * the first request with this key, and answers every repetition with that failure; it may have been
 * carried out, so its object is looked for, and another key is used. `declined`: the bank refused.
 * `not_found`: no such object. `customer_gone`: the customer was deleted there. `denied`: our key
 * is wrong or lacks a right. `refused`: the request is wrong, or the object does not allow it any
 * more; nothing was done. `unreadable`: the answer lacks what we need.
 */
export type ProviderFailure =
  | 'unavailable'
  | 'key_in_use'
  | 'key_changed'
  | 'key_spent'
  | 'declined'
  | 'not_found'
  | 'customer_gone'
  | 'denied'
  | 'refused'
  | 'unreadable'

export type ProviderErrorDetails = {
  readonly status?: number | undefined
  /** The provider's own word, such as `card_declined`. */
  readonly code?: string | undefined
  readonly cause?: unknown
}

/** Why a payment provider did not do what was asked. The message has no secret and no address. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly failure: ProviderFailure
  readonly status: number | undefined
  readonly code: string | undefined

  constructor(failure: ProviderFailure, message: string, details: ProviderErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.failure = failure
    this.status = details.status
    this.code = details.code
  }
}
