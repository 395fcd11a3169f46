import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { waitUntil } from '../../harness/measure.ts'
import { startIdentityProvider } from '../../harness/oidc.ts'

/** Somebody that the provider knows. */
export type KnownPerson = {
  readonly login: string
  readonly email: string
  readonly verified: boolean
}

/** A provider and how a person signs in on its page. */
export type BrowserProvider = AsyncDisposable & {
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Registers the address at which people return to the console. */
  register(redirectUri: string): void
  signIn(page: Page, person: KnownPerson): Promise<void>
}

const CLIENT = { clientId: 'headrace', clientSecret: 'secret-of-the-client' }
const PASSWORD = 'k7-plum-otter-lamp'
/** It compiles itself at its first start. */
const START_MS = 420_000

export async function startOidcProvider(
  people: readonly KnownPerson[],
  options?: Parameters<typeof startIdentityProvider>[0],
): Promise<BrowserProvider> {
  const provider = await startIdentityProvider(options)
  for (const { login, email, verified } of people)
    provider.people.set(login, { email, email_verified: verified })
  return {
    name: 'oidc-provider',
    ...provider,
    register: (redirectUri) => void provider.redirectUris.add(redirectUri),
    async signIn(page, { login }) {
      await page.locator('input[name=login]').fill(login)
      await page.locator('button').click()
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  }
}

/**
 * Keycloak from the folder of its distribution, with a realm of its own in memory. The realm is
 * made before the connections, so it accepts the callbacks of all of them.
 */
export async function startKeycloak(
  folder: string,
  callbacks: string,
  people: readonly KnownPerson[],
): Promise<BrowserProvider> {
  const imports = join(folder, 'data', 'import')
  await mkdir(imports, { recursive: true })
  await writeFile(join(imports, 'headrace-realm.json'), JSON.stringify(realmOf(callbacks, people)))
  const [port, managementPort] = [await freePort(), await freePort()]
  const options = ['start-dev', '--import-realm', '--db=dev-mem', '--http-host=127.0.0.1']
  const ports = [`--http-port=${port}`, `--http-management-port=${managementPort}`]
  // A group of its own: the script starts Java as a child.
  const child = spawn(join(folder, 'bin', 'kc.sh'), [...options, ...ports], {
    stdio: 'ignore',
    detached: true,
  })
  const issuer = `http://localhost:${port}/realms/headrace`
  const end = () => void process.kill(-child.pid!, 'SIGKILL')
  process.once('exit', end)
  await waitFor(`${issuer}/.well-known/openid-configuration`)
  return {
    name: 'keycloak',
    issuer,
    ...CLIENT,
    register: () => {},
    async signIn(page, { login }) {
      await page.locator('#kc-login').waitFor()
      // Asked again for a confirmation, it knows who it is.
      if (
        await page
          .locator('#username')
          .isEditable({ timeout: 1000 })
          .catch(() => false)
      )
        await page.locator('#username').fill(login)
      await page.locator('#password').fill(PASSWORD)
      await page.locator('#kc-login').click()
    },
    async [Symbol.asyncDispose]() {
      process.removeListener('exit', end)
      const exited = once(child, 'exit')
      process.kill(-child.pid!, 'SIGTERM')
      await exited
    },
  }
}

function realmOf(callbacks: string, people: readonly KnownPerson[]): object {
  return {
    realm: 'headrace',
    enabled: true,
    sslRequired: 'none',
    clients: [
      {
        clientId: CLIENT.clientId,
        secret: CLIENT.clientSecret,
        publicClient: false,
        standardFlowEnabled: true,
        directAccessGrantsEnabled: false,
        redirectUris: [`${callbacks}/*`],
        attributes: { 'pkce.code.challenge.method': 'S256' },
      },
    ],
    users: people.map(({ login, email, verified }) => ({
      username: login,
      email,
      emailVerified: verified,
      firstName: 'Test',
      lastName: 'Person',
      enabled: true,
      credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    })),
  }
}

async function waitFor(url: string): Promise<void> {
  const isReady = async () => (await fetch(url).catch(() => undefined))?.ok === true
  await waitUntil('Keycloak to start', isReady, START_MS, { pollMs: 500 })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
