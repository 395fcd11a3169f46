import { ApiError } from '../contract/error.ts'
import type { Call } from '../http/call.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { Credential } from '../tenancy/credential.ts'
import { AccountsUnavailable, type Identity } from '../tenancy/identity.ts'
import { retentionInForce } from '../tenancy/retention.ts'

/** What a caller wants to do, as far as who may do it depends on it. */
export type Operation = 'chat completion' | 'other'

export type Accounts = {
  /** The credential in a bearer token, or undefined for what cannot be one. */
  read(token: string): Credential | undefined
  /** The facts about a credential: remembered ones, unless they are wanted afresh. */
  find(credential: Credential, bypassCache: boolean): Promise<Found>
  /** 401, 403, and for a chat completion 402 or 409, or the caller in good standing. */
  judge(identity: Identity | undefined, operation: Operation): Caller
  readonly retentionHeader: string
  /** Whether content can be kept at all. */
  readonly keepsContent: boolean
}

export type Found = { readonly identity: Identity | undefined; readonly fresh: boolean }

/** A caller, and whether what is known of it was read just now. */
export type Identified = { readonly caller: Caller; readonly fresh: boolean }

export async function identify(
  call: Call,
  operation: Operation,
  accounts: Accounts,
  bypassCache = false,
): Promise<Identified> {
  const credential = accounts.read(bearerToken(call.request.headers.authorization))
  if (credential === undefined) return { caller: accounts.judge(undefined, operation), fresh: true }
  const { identity, fresh } = await find(call, credential, accounts, bypassCache)
  if (identity !== undefined) {
    // From here on every answer says what is kept, a refusal for lack of standing included.
    const { retention, terms } = identity.organization
    const inForce = retentionInForce(retention, terms, accounts.keepsContent)
    call.headers[accounts.retentionHeader] = inForce
  }
  return { caller: judge(call, identity, operation, accounts), fresh }
}

function judge(
  call: Call,
  identity: Identity | undefined,
  operation: Operation,
  accounts: Accounts,
): Caller {
  try {
    return accounts.judge(identity, operation)
  } catch (error) {
    // A revoked key is found and has an organization, but its holder is a stranger.
    const stranger = error instanceof ApiError && error.status === 401
    if (stranger) delete call.headers[accounts.retentionHeader]
    throw error
  }
}

/** An unknown caller while the accounts are away is not a stranger: 503, never 401. */
async function find(
  call: Call,
  credential: Credential,
  accounts: Accounts,
  bypassCache: boolean,
): Promise<Found> {
  try {
    return await accounts.find(credential, bypassCache)
  } catch (cause) {
    // Nobody knows what the caller's organization agreed to, so nothing is kept.
    call.headers[accounts.retentionHeader] = 'zero'
    if (!(cause instanceof AccountsUnavailable)) throw cause
    throw new ApiError(
      'service_unavailable',
      'Your credential cannot be verified at the moment. Retry shortly.',
      { cause, headers: { 'retry-after': '1' } },
    )
  }
}

/** The scheme's name is case-insensitive, and one or more spaces follow it. */
const BEARER = /^bearer +(\S.*)$/i

function bearerToken(authorization: string | undefined): string {
  const token = BEARER.exec(authorization ?? '')?.[1]
  if (token !== undefined) return token
  throw new ApiError(
    'missing_api_key',
    "No credential was sent. Send the header 'Authorization: Bearer <API key>'.",
  )
}
