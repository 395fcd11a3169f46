import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import { isObject } from '../lib/is-object.ts'

// `<prefix>_pg_` + a JWS in compact form. The header is fixed for each key, so verification
// compares its text and never parses it: an algorithm, type or key URL that an attacker wrote is
// never used.

/** The longest lifetime of a credential. Short, because credentials cannot be revoked. */
export const PLAYGROUND_LIFE_MS_MAX = 600_000

/**
 * How far the issuer's clock may be ahead of this server's. Expiry has no such leeway: at worst a
 * credential expires early on a server whose clock is ahead, and the playground requests another.
 */
const CLOCK_LEEWAY_MS = 30_000

/** Credentials have about 550 characters. Longer texts are rejected before any work is done. */
const LENGTH_MAX = 1024

const TYPE = 'headrace-playground+jwt'
const SEED_BYTES = 32
const SIGNATURE_BYTES = 64

/** The bytes before the 32 bytes of an Ed25519 seed in PKCS #8. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

export type PlaygroundClaims = {
  readonly id: string
  readonly organizationId: string
  readonly projectId: string
  readonly accountId: string
  readonly expiresAt: Date
}

export type SigningKey = {
  /** The encoded header of all credentials signed with this key; it contains the key's id. */
  readonly header: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** Issuer and audience are in every credential, and both must match. */
export type PlaygroundRealm = {
  readonly prefix: string
  readonly issuer: string
  readonly audience: string
}

export function playgroundRealm(api: {
  readonly key_prefix: string
  readonly path_segment: string
}): PlaygroundRealm {
  return { prefix: api.key_prefix, issuer: api.key_prefix, audience: `/${api.path_segment}/v1` }
}

/** The operator's secret has other uses too, so a separate key is derived from it. */
export function createSigningKey(secret: string): SigningKey {
  const bytes = Buffer.from(secret, 'base64url')
  if (bytes.length !== SEED_BYTES) throw new TypeError('a signing key is 32 bytes in base64url')
  const seed = Buffer.from(hkdfSync('sha256', bytes, '', 'playground credential', SEED_BYTES))
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
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
    throw new RangeError('a playground credential is valid for at most 10 minutes')
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

export function looksLikePlaygroundCredential(text: string, prefix: string): boolean {
  return text.startsWith(`${prefix}_pg_`)
}

/**
 * Undefined unless the text is a valid credential of this realm now. Several keys are accepted so
 * that a key can be rotated: sign with the new one, and drop the old one when its last credential
 * has expired.
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
  // Decoding is lenient; encoding again ensures that each signature has only one spelling.
  if (bytes.length !== SIGNATURE_BYTES || bytes.toString('base64url') !== signature)
    return undefined
  if (!verify(null, Buffer.from(`${header}.${payload}`), key.publicKey, bytes)) return undefined
  const claims = readPayload(payload)
  return claims === undefined ? undefined : readClaims(claims, realm, nowMs)
}

/** Signed by this service, but maybe by a later release with other claims. */
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
  // One second more than the maximum, because both times are rounded down.
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
