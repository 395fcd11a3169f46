import { ApiError } from '../contract/error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { Call } from '../http/call.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { Credential } from '../tenancy/credential.ts'
import { AccountsUnavailable, type Identity } from '../tenancy/identity.ts'
import type { VersionAsk } from '../tenancy/rate-limits.ts'
import type { OpenedRecord } from '../tenancy/usage-record.ts'
import { retentionInForce } from '../tenancy/retention.ts'
import { invalidCredential } from '../tenancy/standing.ts'

/** Only chat completions cost money, so only they can be rejected with 402 or 409. */
export type Operation = 'chat completion' | 'other'

export type Accounts = {
  /** The credential in a bearer token; undefined if it is malformed. */
  read(token: string): Credential | undefined
  /** What is stored about a credential, from the cache unless that is bypassed. */
  find(credential: Credential, bypassCache: boolean): Promise<Found>
  /** The caller; throws 401, 403, and for a chat completion 402 or 409. */
  check(identity: Identity | undefined, operation: Operation, request: ApiRequest): Caller
  /**
   * The version that makes an identity stale, 0 if none is known; undefined if it is current. Notes
   * the version of a fresh one.
   */
  findNewerVersion(ask: VersionAsk): Promise<number | undefined>
  /** Called if the accounts have lost a version of the organization that the limits know. */
  restoreVersion(organizationId: string, version: number): void
  readonly retentionHeader: string
  /** Whether this service can retain content at all. */
  readonly keepsContent: boolean
}

export type Found = { readonly identity: Identity | undefined; readonly fresh: boolean }

export type Identified = {
  readonly caller: Caller
  /** Whether it was read just now instead of from the cache. */
  readonly fresh: boolean
  /** Whether it was read again because the limits know a newer version. */
  readonly reread?: boolean
}

export async function identify(
  call: Call,
  operation: Operation,
  accounts: Accounts,
  cache: 'use cache' | 'bypass cache' = 'use cache',
): Promise<Identified> {
  const credential = accounts.read(bearerToken(call.request.headers.authorization))
  if (credential === undefined)
    return { caller: accounts.check(undefined, operation, call.request), fresh: true }
  const bypassCache = cache === 'bypass cache'
  const found = await find(call, credential, accounts, bypassCache)
  try {
    return judge(call, found, operation, accounts)
  } catch (error) {
    const again = await findAgain(call, credential, found, accounts)
    if (again === undefined) throw error
    return judge(call, again, operation, accounts)
  }
}

/** What makes an admission stale: the caller must be read and checked again. */
export type Stale = {
  readonly kind: 'stale'
  /** The version of the organization that the limits know. */
  readonly version: number
  readonly opened: OpenedRecord | null
}

/** Identifies a caller again whose organization changed since it was cached. */
export async function identifyAgain(
  call: Call,
  operation: Operation,
  { version, opened }: Stale,
  { accounts, usageLog }: { readonly accounts: Accounts; readonly usageLog: Releasing },
): Promise<Identified> {
  try {
    const again = await identify(call, operation, accounts, 'bypass cache')
    const { caller } = again
    // It was read after the limits knew that version, which is stored before they learn it.
    if (caller.version < version) accounts.restoreVersion(caller.organizationId, version)
    return { ...again, reread: true }
  } catch (error) {
    // The call may have been retried after a lost reply, and the lost one may have admitted.
    if (opened !== null) usageLog.release(opened)
    throw error
  }
}

type Releasing = { release(opened: OpenedRecord): void }

/**
 * A caller that is rejected does not reach the admission, which would notice that its cached
 * identity is stale: it may be accepted by now. Undefined if the identity is current.
 */
async function findAgain(
  call: Call,
  credential: Credential,
  { identity, fresh }: Found,
  accounts: Accounts,
): Promise<Found | undefined> {
  if (identity === undefined || fresh) return undefined
  const { id: organizationId, version } = identity.organization
  const newer = await accounts.findNewerVersion({ organizationId, version, fresh })
  if (newer === undefined) return undefined
  const again = await find(call, credential, accounts, true)
  const read = again.identity?.organization.version ?? newer
  if (read < newer) accounts.restoreVersion(organizationId, newer)
  else await accounts.findNewerVersion({ organizationId, version: read, fresh: true })
  return again
}

function judge(
  call: Call,
  { identity, fresh }: Found,
  operation: Operation,
  accounts: Accounts,
): Identified {
  if (identity !== undefined) {
    // From here on every response carries the retention header, 403, 402 and 409 included.
    const { retention, terms } = identity.organization
    const inForce = retentionInForce(retention, terms, accounts.keepsContent)
    call.headers[accounts.retentionHeader] = inForce
    call.identity = identity
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
    return accounts.check(identity, operation, call.request)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw unidentified(call, accounts)
    throw error
  }
}

/** 401. A revoked or expired key has an organization, but nothing about it must be revealed. */
export function unidentified(call: Call, accounts: Accounts): ApiError {
  delete call.headers[accounts.retentionHeader]
  return invalidCredential()
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
