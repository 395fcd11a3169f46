import type { Page } from 'playwright-core'
import { startIdentityProvider } from '../../harness/servers/oidc.ts'

/** Somebody that the provider knows. */
export type KnownPerson = {
  readonly login: string
  readonly email: string
  readonly verified: boolean
}

/** The addresses of a connection that its provider must know. */
export type Connection = { readonly redirectUri: string; readonly logoutUri: string }

/** A provider and how a person signs in on its page. */
export type BrowserProvider = AsyncDisposable & {
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Registers where people return to the console, and where it is told who signed out. */
  register(connection: Connection): Promise<void>
  signIn(page: Page, person: KnownPerson): Promise<void>
  /** An administrator ends all sessions of somebody, if the provider has administrators. */
  signOut?(person: KnownPerson): Promise<void>
}

export const CLIENT = { clientId: 'headrace', clientSecret: 'secret-of-the-client' }

export async function startOidcProvider(
  people: readonly KnownPerson[],
  options?: Parameters<typeof startIdentityProvider>[0],
): Promise<BrowserProvider> {
  const provider = await startIdentityProvider(options)
  for (const { login, email, verified } of people)
    provider.people.set(login, { email, email_verified: verified })
  const { issuer, clientId, clientSecret } = provider
  return {
    name: 'oidc-provider',
    issuer,
    clientId,
    clientSecret,
    register({ redirectUri }) {
      provider.redirectUris.add(redirectUri)
      return Promise.resolve()
    },
    async signIn(page, { login }) {
      await page.locator('input[name=login]').fill(login)
      await page.locator('button').click()
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  }
}
