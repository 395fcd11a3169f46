import { ApiError } from '../contract/error.ts'
import type { Call } from '../http/call.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { Credential } from '../tenancy/credential.ts'
import { AccountsUnavailable, type Identity } from '../tenancy/identity.ts'
import { retentionInForce } from '../tenancy/retention.ts'

/** Only chat completions cost money, so only they can be rejected with 402 or 409. */
export type Operation = 'chat completion' | 'other'

export type Accounts = {
  /** The credential in a bearer token; undefined if it is malformed. */
  read(token: string): Credential | undefined
  /** What is stored about a credential, from the cache unless that is bypassed. */
  find(credential: Credential, bypassCache: boolean): Promise<Found>
  /** The caller; throws 401, 403, and for a chat completion 402 or 409. */
  check(identity: Identity | undefined, operation: Operation): Caller
  readonly retentionHeader: string
  /** Whether this service can retain content at all. */
  readonly keepsContent: boolean
}

export type Found = { readonly identity: Identity | undefined; readonly fresh: boolean }

/** A caller, and whether it was read just now instead of from the cache. */
export type Identified = { readonly caller: Caller; readonly fresh: boolean }

export async function identify(
  call: Call,
  operation: Operation,
  accounts: Accounts,
  cache: 'use cache' | 'bypass cache' = 'use cache',
): Promise<Identified> {
  const credential = accounts.read(bearerToken(call.request.headers.authorization))
  if (credential === undefined) return { caller: accounts.check(undefined, operation), fresh: true }
  const bypassCache = cache === 'bypass cache'
  const { identity, fresh } = await find(call, credential, accounts, bypassCache)
  if (identity !== undefined) {
    // From here on every response carries the retention header, 403, 402 and 409 included.
    const { retention, terms } = identity.organization
    const inForce = retentionInForce(retention, terms, accounts.keepsContent)
    call.headers[accounts.retentionHeader] = inForce
  }
  return { caller: check(call, identity, operation, accounts), fresh }
}

function check(
  call: Call,
  identity: Identity | undefined,
  operation: Operation,
  accounts: Accounts,
): Caller {
  try {
    return accounts.check(identity, operation)
  } catch (error) {
    // A revoked key has an organization, but a 401 must not reveal anything about it.
    const unauthenticated = error instanceof ApiError && error.status === 401
    if (unauthenticated) delete call.headers[accounts.retentionHeader]
    throw error
  }
}

/** While the accounts are unavailable, a caller that is not cached gets 503, never 401. */
async function find(
  call: Call,
  credential: Credential,
  accounts: Accounts,
  bypassCache: boolean,
): Promise<Found> {
  try {
    return await accounts.find(credential, bypassCache)
  } catch (cause) {
    // The organization's retention is unknown, so nothing is retained.
    call.headers[accounts.retentionHeader] = 'zero'
    if (!(cause instanceof AccountsUnavailable)) throw cause
    throw new ApiError(
      'service_unavailable',
      'Your credential cannot be verified at the moment. Retry shortly.',
      { cause, headers: { 'retry-after': '1' } },
    )
  }
}

/** The scheme is case-insensitive and followed by one or more spaces. */
const BEARER = /^bearer +(\S.*)$/i

function bearerToken(authorization: string | undefined): string {
  const token = BEARER.exec(authorization ?? '')?.[1]
  if (token !== undefined) return token
  throw new ApiError(
    'missing_api_key',
    "No credential was sent. Send the header 'Authorization: Bearer <API key>'.",
  )
}
