import { setTimeout as pause } from 'node:timers/promises'
import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { exponentialBackoffMs } from '../../../lib/backoff.ts'
import { limitConcurrency, TooBusy } from '../../../lib/limit-concurrency.ts'
import { ProviderError } from '../../provider-error.ts'
import { encodeForm, type Form } from './encode-form.ts'
import { nameOperation } from './name-operation.ts'
import { toError } from './to-error.ts'

/** In every request, so that an upgrade of the account changes nothing here. */
export const API_VERSION = '2026-08-26.dahlia'

export type StripeAccess = {
  readonly key: string
  readonly apiUrl: string
  /** For one attempt. Three attempts are made. */
  readonly timeoutMs?: number
  /** Before the second attempt; before the third twice as long. */
  readonly backoffMs?: number
  /** Told of every attempt: what was asked, and the class of the answer's status. */
  readonly onAttempt?: (operation: string, status: string) => void
}

export type StripeRequest<Schema extends TSchema> = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly form?: Form
  /** From a row of ours. Only what does no harm when it is done twice has none. */
  readonly idempotencyKey?: string
  /** What we read of the answer; other members are ignored. */
  readonly answer: Schema
}

export type Send = <Schema extends TSchema>(
  request: StripeRequest<Schema>,
) => Promise<{ readonly body: Static<Schema>; readonly at: Date }>

const TIMEOUT_MS = 20_000
const ATTEMPTS_MAX = 3
const BACKOFF_FIRST_MS = 500
const BACKOFF_MAX_MS = 4_000
/** A page of 100 events with expanded objects has less than 2 MB. */
const ANSWER_BYTES_MAX = 8_388_608
/** Stripe allows 25 a second for an endpoint; a few processes share them. */
const LIMITS = { running: 10, waiting: 1_000, deadlineMs: 120_000 }

/**
 * Sends requests to Stripe: at most 10 at once. What got no usable answer is sent again with the
 * same key, so that nothing happens twice.
 */
export function createSend(access: StripeAccess): Send {
  const inTurn = limitConcurrency(LIMITS)
  return async (request) => {
    const { body, at } = await inTurn(() => sendRepeatedly(access, request)).catch(asUnavailable)
    if (!Check(request.answer, body))
      throw new ProviderError('unreadable', `${describe(request)}: the answer lacks what we read`)
    return { body, at }
  }
}

function asUnavailable(error: unknown): never {
  if (!(error instanceof TooBusy)) throw error
  throw new ProviderError('unavailable', `Stripe was not asked: ${error.message}`)
}

type Answer = { readonly body: unknown; readonly at: Date }

async function sendRepeatedly(
  access: StripeAccess,
  request: StripeRequest<TSchema>,
): Promise<Answer> {
  const firstMs = access.backoffMs ?? BACKOFF_FIRST_MS
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(access, request)
    } catch (error) {
      const again = error instanceof ProviderError && isPassing(error)
      if (!again || attempt === ATTEMPTS_MAX) throw error
      await pause(exponentialBackoffMs(attempt, firstMs, BACKOFF_MAX_MS))
    }
  }
}

function isPassing({ failure }: ProviderError): boolean {
  return failure === 'unavailable' || failure === 'key_in_use'
}

async function sendOnce(access: StripeAccess, request: StripeRequest<TSchema>): Promise<Answer> {
  const { method, path, form = {}, idempotencyKey } = request
  const text = encodeForm(form)
  const inUrl = method !== 'POST' && text !== ''
  const note = (status: string) => access.onAttempt?.(nameOperation(method, path), status)
  const response = await fetch(`${access.apiUrl}${path}${inUrl ? `?${text}` : ''}`, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(access.timeoutMs ?? TIMEOUT_MS),
    headers: {
      authorization: `Bearer ${access.key}`,
      'stripe-version': API_VERSION,
      'user-agent': 'Headrace',
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(method === 'POST' && { body: text }),
  }).catch((cause: unknown) => {
    note('none')
    throw new ProviderError('unavailable', `${describe(request)}: no answer`, { cause })
  })
  note(`${Math.floor(response.status / 100)}xx`)
  // Messages of errors are logged, and something in between may repeat what it was sent.
  const body = parse((await readText(response, request)).replaceAll(access.key, '[key]'))
  const isReplayed = response.headers.get('idempotent-replayed') === 'true'
  if (!response.ok) throw toError(describe(request), { status: response.status, isReplayed }, body)
  return { body, at: new Date(response.headers.get('date') ?? Date.now()) }
}

async function readText(response: Response, request: StripeRequest<TSchema>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.length
      if (bytes > ANSWER_BYTES_MAX) break
      chunks.push(chunk)
    }
  } catch (cause) {
    throw new ProviderError('unavailable', `${describe(request)}: half an answer`, { cause })
  }
  if (bytes > ANSWER_BYTES_MAX)
    throw new ProviderError('unreadable', `${describe(request)}: the answer is too long`)
  return Buffer.concat(chunks).toString()
}

/** Undefined if it is none; the status then decides. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describe({ method, path }: StripeRequest<TSchema>): string {
  return `${method} ${path}`
}
