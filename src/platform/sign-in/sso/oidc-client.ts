import { ApiError } from '../../../contract/error.ts'
import type { ConnectionRow } from '../../../store/sign-in/sso-connections.ts'
import type { Settings } from '../../use-case/environment.ts'
import { UrlRefused, type UrlGuard } from '../identity/guard-url.ts'
import { discoverProvider, OidcRefused, type OidcClient } from '../identity/oidc.ts'
import { sealerFor } from '../../use-case/sealers.ts'

const CALLBACK = '/management/v1/sso/callback'

/**
 * Where the provider of a connection returns people. Each connection has an address of its own, so
 * that a provider cannot have the answer of another one taken for its own (mix-up, RFC 9700).
 */
export function redirectUri({ console: { public_url: root } }: Settings, id: string): string {
  return `${root.endsWith('/') ? root.slice(0, -1) : root}${CALLBACK}/${id}`
}

/** Where the provider of a connection says that somebody has signed out there. */
export function logoutUri({ console: { public_url: root } }: Settings, id: string): string {
  const base = root.endsWith('/') ? root.slice(0, -1) : root
  return `${base}/management/v1/sso/${id}/backchannel-logout`
}

export function clientOf(settings: Settings, connection: ConnectionRow): OidcClient {
  const { id, issuer, client_id: clientId, sealed_secret: sealed } = connection
  const clientSecret = sealerFor(settings, 'sso client secret').open(sealed, id).toString()
  return { issuer, clientId, clientSecret, redirectUri: redirectUri(settings, id) }
}

export function sealSecret(settings: Settings, id: string, secret: string): Buffer {
  return sealerFor(settings, 'sso client secret').seal(Buffer.from(secret), id)
}

export function guardOf({ console: { private_issuer_hosts } }: Settings): UrlGuard {
  return { privateHosts: private_issuer_hosts }
}

/** Throws an error for the person who entered the issuer, unless it answers as a provider does. */
export async function checkIssuer(settings: Settings, issuer: string): Promise<void> {
  const client = { issuer, clientId: 'check', clientSecret: 'check', redirectUri: '' }
  try {
    await discoverProvider(client, guardOf(settings))
  } catch (error) {
    if (!(error instanceof OidcRefused)) throw error
    const reason = refusalOf(error)?.message ?? 'it does not answer as an OpenID provider'
    throw new ApiError('invalid_value', `'issuer' is not accepted: ${reason}.`, {
      param: 'issuer',
      cause: error,
    })
  }
}

/** Our own refusal among the causes. What a foreign server wrote is not passed on. */
function refusalOf(error: unknown): UrlRefused | undefined {
  if (error instanceof UrlRefused) return error
  return error instanceof Error ? refusalOf(error.cause) : undefined
}
