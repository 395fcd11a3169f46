import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isObject } from '../lib/is-object.ts'

// `<prefix>_pg_` + a JWS in its compact form. The whole header is fixed for a key, so verifying
// compares its text and parses none of it: no algorithm, type or address of a key that a stranger
// wrote down is ever looked at.

/**
 * The longest life of a credential. It is short because it ends by itself and not by being revoked.
 */
export const PLAYGROUND_LIFE_MS_MAX = 600_000

/**
 * How far the clock of the issuer may be ahead of ours. An end has no such leeway: at worst a
 * credential ends early on a server whose clock is ahead, and the playground asks for another.
 */
const CLOCK_LEEWAY_MS = 30_000

/** Ours have about 550 characters. Longer texts are refused before any work is done on them. */
const LENGTH_MAX = 1024

const TYPE = 'headrace-playground+jwt'
const SEED_BYTES = 32
const SIGNATURE_BYTES = 64

/** What comes before the 32 bytes of an Ed25519 seed in PKCS #8. */
const PKCS8_LEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

/** What a credential says about itself. */
export type PlaygroundClaims = {
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  readonly accountId: string
  readonly expiresAt: Date
}

export type SigningKey = {
  /** The encoded header of everything that this key signs; it holds the key's id. */
  readonly header: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** Who issues and who accepts. Both are in every credential, and both must match. */
export type PlaygroundRealm = {
  readonly prefix: string
  readonly issuer: string
  readonly audience: string
}

/** The part of the operator's file that decides where a credential holds. */
export function playgroundRealm(api: {
  readonly key_prefix: string
  readonly path_segment: string
}): PlaygroundRealm {
  return { prefix: api.key_prefix, issuer: api.key_prefix, audience: `/${api.path_segment}/v1` }
}

/**
 * The operator's secret also keys other things, so this purpose gets a key of its own made from it.
 */
export function createSigningKey(secret: string): SigningKey {
  const bytes = Buffer.from(secret, 'base64url')
  if (bytes.length !== SEED_BYTES) throw new TypeError('a signing key is 32 bytes in base64url')
  const seed = Buffer.from(hkdfSync('sha256', bytes, '', 'playground credential', SEED_BYTES))
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_LEAD, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const publicKey = createPublicKey(privateKey)
  const thumbprint = createHash('sha256').update(publicKey.export({ format: 'der', type: 'spki' }))
  const kid = thumbprint.digest('base64url').slice(0, 16)
  return { header: encode({ alg: 'EdDSA', typ: TYPE, kid }), privateKey, publicKey }
}

export function issuePlaygroundCredential(
  claims: PlaygroundClaims,
  { prefix, issuer, audience }: PlaygroundRealm,
  key: SigningKey,
  nowMs: number,
): string {
  const lifeMs = claims.expiresAt.getTime() - nowMs
  if (lifeMs <= 0 || lifeMs > PLAYGROUND_LIFE_MS_MAX) {
    throw new RangeError('a playground credential lives for 10 minutes at most')
  }
  const payload = encode({
    iss: issuer,
    aud: audience,
    sub: claims.accountId,
    organization: claims.organizationId,
    project: claims.projectId,
    jti: claims.id,
    iat: Math.floor(nowMs / 1000),
    exp: Math.floor(claims.expiresAt.getTime() / 1000),
  })
  const signed = `${key.header}.${payload}`
  const signature = sign(null, Buffer.from(signed), key.privateKey).toString('base64url')
  return `${prefix}_pg_${signed}.${signature}`
}

/** Whether a text claims to be one, which decides what it is judged as. */
export function looksLikePlaygroundCredential(text: string, prefix: string): boolean {
  return text.startsWith(`${prefix}_pg_`)
}

/**
 * Undefined for whatever is not a valid credential of this realm now. Several keys are accepted so
 * that a key can be replaced: sign with the new one, and drop the old one once its last credential
 * has ended.
 */
export function verifyPlaygroundCredential(
  text: string,
  realm: PlaygroundRealm,
  keys: readonly SigningKey[],
  nowMs: number,
): PlaygroundClaims | undefined {
  if (text.length > LENGTH_MAX || !looksLikePlaygroundCredential(text, realm.prefix)) {
    return undefined
  }
  const [header, payload, signature, ...rest] = text.slice(`${realm.prefix}_pg_`.length).split('.')
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined
  const key = keys.find((candidate) => candidate.header === header)
  if (key === undefined) return undefined
  const bytes = Buffer.from(signature, 'base64url')
  // Decoding is lenient; encoding again makes sure that one signature has one spelling.
  if (bytes.length !== SIGNATURE_BYTES || bytes.toString('base64url') !== signature)
    return undefined
  if (!verify(null, Buffer.from(`${header}.${payload}`), key.publicKey, bytes)) return undefined
  const claims = readPayload(payload)
  return claims === undefined ? undefined : readClaims(claims, realm, nowMs)
}

/**
 * What we signed ourselves. Nothing else gets past the signature, but a later release may sign
 * other claims.
 */
type Payload = { readonly [claim: string]: unknown }

function readPayload(encoded: string): Payload | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function readClaims(
  { iss, aud, sub, organization, project, jti, iat, exp }: Payload,
  realm: PlaygroundRealm,
  nowMs: number,
): PlaygroundClaims | undefined {
  if (iss !== realm.issuer || aud !== realm.audience) return undefined
  if (typeof iat !== 'number' || typeof exp !== 'number') return undefined
  const issuedAtMs = iat * 1000
  const expiresAtMs = exp * 1000
  if (issuedAtMs > nowMs + CLOCK_LEEWAY_MS || expiresAtMs <= nowMs) return undefined
  // A second more than the longest life, because both ends are rounded down.
  if (expiresAtMs - issuedAtMs > PLAYGROUND_LIFE_MS_MAX + 1000) return undefined
  if (typeof sub !== 'string' || typeof organization !== 'string') return undefined
  if (typeof project !== 'string' || typeof jti !== 'string') return undefined
  return {
    id: jti,
    organizationId: organization,
    projectId: project,
    accountId: sub,
    expiresAt: new Date(expiresAtMs),
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
