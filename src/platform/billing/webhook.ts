import { createHmac, randomBytes } from 'node:crypto'
import { ApiError } from '../../contract/error.ts'
import { createGuardedFetch, isPrivateHost, type UrlGuard } from '../sign-in/identity/guard-url.ts'

// Standard Webhooks: https://www.standardwebhooks.com

const SECRET_BYTES = 32
const SECRET_PREFIX = 'whsec_'

export function createWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Over id, time and body, so that none of them can be exchanged. */
export function signWebhook(
  secret: string,
  {
    id,
    timestamp,
    body,
  }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return `v1,${digest}`
}

/** Refuses what no webhook may be, when it is entered. Its address is checked at each call. */
export function checkWebhookUrl(
  text: string,
  privateHosts: readonly string[],
  param = 'webhook_url',
): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const secure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isPrivateHost(url, privateHosts))
  if (secure && url?.username === '' && url.password === '' && url.hash === '') return
  throw new ApiError(
    'invalid_value',
    `'${param}' must be an https address without user name and fragment.`,
    { param },
  )
}

export type WebhookMessage = {
  readonly url: string
  readonly secret: string
  /** The same for every attempt, so that receivers can recognise a repetition. */
  readonly id: string
  readonly body: string
}

/** The receiver did not answer with success. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
}

/**
 * Calls the address once: no redirects, no private networks but the hosts that the operator
 * allows, 5 seconds in all unless the guard says otherwise.
 */
export async function callWebhook(
  { url, secret, id, body }: WebhookMessage,
  guard: UrlGuard,
): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000)
  const call = createGuardedFetch(guard)
  const response = await call(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Headrace',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(secret, { id, timestamp, body }),
    },
    body,
  })
  if (!response.ok) throw new WebhookRefused(`the receiver answered with ${response.status}`)
}
