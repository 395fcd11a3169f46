import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ClientAuth,
  type Configuration,
} from 'openid-client'
import { checkIssuerUrl, createGuardedFetch, type UrlGuard } from './guard-url.ts'

const TIMEOUT_SECONDS = 5
/** How far the provider's clock may be behind ours when it says when the person signed in. */
const CLOCK_LEEWAY_MS = 30_000
const SCOPE = 'openid email profile'
const SUBJECT_LENGTH_MAX = 255
export const SID_LENGTH_MAX = 255

export type OidcClient = {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

/** What a sign-in must remember between its start and its callback. */
export type OidcFlow = {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly startedAtMs: number
  /** The person must sign in at the provider again, even if they are signed in there. */
  readonly fresh: boolean
}

export type OidcPerson = {
  readonly subject: string
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string | null
  /** The session at the provider, if it says so. */
  readonly sid: string | null
}

/** The provider, or what it sent, does not allow the sign-in. The cause is for the log only. */
export class OidcRefused extends Error {
  override readonly name = 'OidcRefused'
}

/** Reads the provider's discovery document; throws `OidcRefused` if that fails. */
export async function discoverProvider(
  client: OidcClient,
  guard: UrlGuard,
): Promise<Configuration> {
  return refusing('the identity provider cannot be read', async () => {
    const issuer = checkIssuerUrl(client.issuer, guard)
    const configuration = await discovery(
      issuer,
      client.clientId,
      undefined,
      authenticateClient(client.clientSecret),
      {
        [customFetch]: createGuardedFetch(guard),
        timeout: TIMEOUT_SECONDS,
        execute: [
          enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : []),
        ],
      },
    )
    return configuration
  })
}

/** Begins a sign-in: where the browser goes, and what the callback will need. */
export async function startOidc(
  client: OidcClient,
  guard: UrlGuard,
  options: { readonly fresh: boolean; readonly loginHint?: string; readonly nowMs: number },
): Promise<{ readonly url: string; readonly flow: OidcFlow }> {
  const configuration = await discoverProvider(client, guard)
  const flow: OidcFlow = {
    state: randomState(),
    nonce: randomNonce(),
    verifier: randomPKCECodeVerifier(),
    startedAtMs: options.nowMs,
    fresh: options.fresh,
  }
  return refusing('the identity provider has no address for browsers', async () => {
    // The library refuses what is not https or http: the console goes there by a script, and a
    // `javascript:` address would run in its page.
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: client.redirectUri,
      scope: SCOPE,
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
      ...(options.fresh && { prompt: 'login', max_age: '0' }),
      ...(options.loginHint !== undefined && { login_hint: options.loginHint }),
    })
    return { url: url.href, flow }
  })
}

/**
 * Ends a sign-in: exchanges the code and checks state, nonce, issuer, audience, signature and
 * expiry. `query` is that of the callback.
 */
export async function finishOidc(
  client: OidcClient,
  guard: UrlGuard,
  flow: OidcFlow,
  query: URLSearchParams,
): Promise<OidcPerson> {
  const configuration = await discoverProvider(client, guard)
  return refusing('the identity provider did not confirm the sign-in', async () => {
    // The library takes the redirect URI from this address.
    const callback = new URL(client.redirectUri)
    callback.search = query.toString()
    const tokens = await authorizationCodeGrant(configuration, callback, {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (claims === undefined) throw new OidcRefused('there is no ID token')
    if (flow.fresh) checkAuthTime(claims.auth_time, flow.startedAtMs)
    // Providers may put the address into the answer of the user-info endpoint only.
    const needsMore =
      claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
    const more = needsMore
      ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
      : {}
    return readPerson({ ...more, ...claims })
  })
}

function checkAuthTime(authTime: unknown, startedAtMs: number): void {
  if (typeof authTime !== 'number' || authTime * 1000 < startedAtMs - CLOCK_LEEWAY_MS)
    throw new OidcRefused('the person did not sign in again')
}

function readPerson(claims: Readonly<Record<string, unknown>>): OidcPerson {
  const { sub, email, name, sid } = claims
  if (typeof sub !== 'string' || sub.length > SUBJECT_LENGTH_MAX)
    throw new OidcRefused('the subject is missing or too long')
  if (typeof email !== 'string') throw new OidcRefused('there is no email address')
  return {
    subject: sub,
    email,
    emailVerified: isTrue(claims.email_verified) || isTrue(claims.xms_edov),
    name: typeof name === 'string' ? name : null,
    sid: typeof sid === 'string' && sid.length <= SID_LENGTH_MAX ? sid : null,
  }
}

/**
 * Amazon Cognito sends texts. Microsoft Entra ID sends no `email_verified`, but can be told to send
 * `xms_edov`: the owner of the domain has verified it.
 */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === 'true' || claim === 1 || claim === '1'
}

function authenticateClient(secret: string): ClientAuth {
  const post = ClientSecretPost(secret)
  const basic = ClientSecretBasic(secret)
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported
    const byPost = methods === undefined || methods.includes('client_secret_post')
    return (byPost ? post : basic)(server, ...rest)
  }
}

async function refusing<Value>(message: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act()
  } catch (cause) {
    if (cause instanceof OidcRefused) throw cause
    throw new OidcRefused(message, { cause })
  }
}
