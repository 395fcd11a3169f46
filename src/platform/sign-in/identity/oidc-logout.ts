import { createRemoteJWKSet, customFetch, decodeJwt, jwtVerify, type JWTPayload } from 'jose'
import { LRUCache } from 'lru-cache'
import { isObject } from '../../../lib/is-object.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import { createGuardedFetch, type UrlGuard } from './guard-url.ts'
import { discoverProvider, SID_LENGTH_MAX, type OidcClient } from './oidc.ts'

/** How old a logout token may be. A token works once within this time, so it must be short. */
export const LOGOUT_TOKEN_LIFE_MS = 10 * MINUTE_MS
const CLOCK_LEEWAY_SECONDS = 30
const JTI_LENGTH_MAX = 255
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** `none` and shared secrets are no signatures of the provider. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const TYPES: readonly unknown[] = [undefined, 'JWT', 'jwt', 'logout+jwt', 'application/logout+jwt']

/** Whom a provider has signed out. At least one of subject and session is there. */
export type LogoutClaims = {
  readonly jti: string
  readonly subject: string | null
  readonly sid: string | null
}

/** What was sent is no logout token of this provider for this client. */
export class LogoutRefused extends Error {
  override readonly name = 'LogoutRefused'
}

type Keys = { readonly issuer: string; readonly find: ReturnType<typeof createRemoteJWKSet> }

/** Anybody can send tokens, so they must not make this process ask a provider each time. */
const PROVIDERS_MAX = 1_000
const KEYS_LIFE_MS = 10 * MINUTE_MS
/** Also how soon keys are read again for a token whose key is unknown. */
const RETRY_AFTER_MS = 30_000
const TIMEOUT_MS = 5_000

const providers = new LRUCache<string, Promise<Keys>>({ max: PROVIDERS_MAX, ttl: KEYS_LIFE_MS })

/**
 * Checks a logout token as OpenID Connect Back-Channel Logout says: signature, issuer, audience,
 * age, event, no nonce, and whom it names. Throws `LogoutRefused`, or `OidcRefused` if the provider
 * cannot be read. The caller sees to it that `jti` works once.
 */
export async function verifyLogoutToken(
  client: OidcClient,
  guard: UrlGuard,
  token: string,
): Promise<LogoutClaims> {
  checkAudience(token, client.clientId)
  const { issuer, find } = await keysOf(client, guard)
  const payload = await verify(token, find, { issuer, audience: client.clientId })
  return readClaims(payload)
}

/** Before anything is asked: what is for somebody else costs nothing. */
function checkAudience(token: string, clientId: string): void {
  let audience: unknown
  try {
    audience = decodeJwt(token).aud
  } catch (cause) {
    throw new LogoutRefused('it is no token', { cause })
  }
  if (![audience].flat().includes(clientId)) throw new LogoutRefused('it is for another client')
}

function keysOf(client: OidcClient, guard: UrlGuard): Promise<Keys> {
  const key = `${client.redirectUri} ${client.issuer}`
  const known = providers.get(key)
  if (known !== undefined) return known
  const reading = readKeys(client, guard)
  providers.set(key, reading)
  reading.catch(() => providers.set(key, reading, { ttl: RETRY_AFTER_MS }))
  return reading
}

async function readKeys(client: OidcClient, guard: UrlGuard): Promise<Keys> {
  const { issuer, jwks_uri: address = '' } = (
    await discoverProvider(client, guard)
  ).serverMetadata()
  const fetchGuarded = createGuardedFetch(guard)
  const find = createRemoteJWKSet(new URL(address), {
    [customFetch]: (url, { signal }) =>
      fetchGuarded(url, {
        method: 'GET',
        headers: {},
        body: undefined,
        redirect: 'manual',
        signal,
      }),
    cooldownDuration: RETRY_AFTER_MS,
    cacheMaxAge: KEYS_LIFE_MS,
    timeoutDuration: TIMEOUT_MS,
  })
  return { issuer, find }
}

async function verify(
  token: string,
  find: Keys['find'],
  expected: { readonly issuer: string; readonly audience: string },
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, find, {
      ...expected,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_LEEWAY_SECONDS,
      maxTokenAge: LOGOUT_TOKEN_LIFE_MS / 1_000,
      requiredClaims: ['iat', 'jti', 'events'],
    })
    if (!TYPES.includes(protectedHeader.typ)) throw new LogoutRefused('it is another kind of token')
    return payload
  } catch (cause) {
    if (cause instanceof LogoutRefused) throw cause
    throw new LogoutRefused('it is not valid', { cause })
  }
}

/** An ID token must not pass for one: it has no such event, and may have a nonce. */
function readClaims({ jti, sub, sid, events, nonce }: JWTPayload): LogoutClaims {
  if (!isObject(events) || !isObject(events[EVENT])) throw new LogoutRefused('it has no such event')
  if (nonce !== undefined) throw new LogoutRefused('it has a nonce')
  if (typeof jti !== 'string' || jti.length > JTI_LENGTH_MAX)
    throw new LogoutRefused('its id is missing or too long')
  const claims = { jti, subject: readName(sub), sid: readName(sid) }
  if (claims.subject === null && claims.sid === null) throw new LogoutRefused('it names nobody')
  return claims
}

function readName(value: unknown): string | null {
  if (value === undefined) return null
  if (typeof value === 'string' && value !== '' && value.length <= SID_LENGTH_MAX) return value
  throw new LogoutRefused('a name in it is not valid')
}
