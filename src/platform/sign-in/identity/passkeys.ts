import { randomBytes } from 'node:crypto'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { isObject } from '../../../lib/is-object.ts'

const CHALLENGE_BYTES = 32
/** How long a person has for one ceremony; afterwards its challenge is void. */
export const PASSKEY_CEREMONY_MS = 300_000
/** Browsers send about 200 characters. */
const CLIENT_DATA_LENGTH_MAX = 4096
/** EdDSA, ES256 and RS256. Node calls those after quantum computers experimental. */
const ALGORITHMS = [-8, -7, -257]

/** The service as browsers know it. Passkeys are bound to `id` and work on `origin` only. */
export type RelyingParty = { readonly id: string; readonly name: string; readonly origin: string }

export type Passkey = {
  readonly credentialId: string
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly backedUp: boolean
  readonly transports: readonly string[]
}

type Credential = { readonly credentialId: string; readonly transports: readonly string[] }

export function relyingParty(publicUrl: string, name: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, name, origin }
}

export async function createRegistrationOptions(
  party: RelyingParty,
  account: { readonly id: string; readonly email: string; readonly name: string | null },
  known: readonly Credential[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: accountHandle(account.id),
    userName: account.email,
    userDisplayName: account.name ?? account.email,
    challenge: newChallenge(),
    timeout: PASSKEY_CEREMONY_MS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: known.map(describe),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Undefined if the answer does not prove a new passkey for this challenge and origin. */
export async function verifyRegistration(
  party: RelyingParty,
  response: unknown,
  challenge: string,
): Promise<Passkey | undefined> {
  const result = await orUndefined(() =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  if (result?.verified !== true) return undefined
  const { credential, credentialBackedUp } = result.registrationInfo
  return {
    credentialId: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    backedUp: credentialBackedUp,
    transports: credential.transports ?? [],
  }
}

/** Without `known`, the browser offers every passkey it has for this service. */
export async function createAuthenticationOptions(
  party: RelyingParty,
  known: readonly Credential[] = [],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: newChallenge(),
    timeout: PASSKEY_CEREMONY_MS,
    userVerification: 'required',
    allowCredentials: known.map(describe),
  })
}

/**
 * Undefined if the answer does not prove possession of this passkey for this challenge and origin,
 * or if the counter shows that the passkey was copied.
 */
export async function verifyAuthentication(
  party: RelyingParty,
  response: unknown,
  challenge: string,
  passkey: Passkey & { readonly accountId: string },
): Promise<{ readonly counter: number; readonly backedUp: boolean } | undefined> {
  if (!isObject(response) || !isObject(response.response)) return undefined
  if (response.id !== passkey.credentialId) return undefined
  const { userHandle } = response.response
  // Browsers send it for every resident key. It must not contradict the stored owner.
  if (userHandle !== undefined && userHandle !== encode(accountHandle(passkey.accountId)))
    return undefined
  const result = await orUndefined(() =>
    verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    }),
  )
  if (result?.verified !== true) return undefined
  const { newCounter, credentialBackedUp } = result.authenticationInfo
  return { counter: newCounter, backedUp: credentialBackedUp }
}

/**
 * What the browser says it answers: the stored challenge is looked up by it, then compared. Nothing
 * here is verified yet.
 */
export function readClaimedChallenge(response: unknown): string | undefined {
  if (!isObject(response) || !isObject(response.response)) return undefined
  const { clientDataJSON } = response.response
  if (typeof clientDataJSON !== 'string' || clientDataJSON.length > CLIENT_DATA_LENGTH_MAX)
    return undefined
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    return isObject(data) && typeof data.challenge === 'string' ? data.challenge : undefined
  } catch {
    return undefined
  }
}

/** The user handle: the 16 bytes of the account's id, which say nothing about the person. */
function accountHandle(accountId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(accountId.replaceAll('-', ''), 'hex'))
}

function newChallenge(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(randomBytes(CHALLENGE_BYTES))
}

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

function describe({ credentialId, transports }: Credential) {
  return { id: credentialId, transports: [...transports] }
}

/** The library throws for whatever does not fit; the caller needs no reason. */
async function orUndefined<Value>(verify: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await verify()
  } catch {
    return undefined
  }
}
