import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
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
  signIn(page: Page, person: KnownPerson): Promise<void>
}

const CLIENT = { clientId: 'headrace', clientSecret: 'secret-of-the-client' }
const PASSWORD = 'k7-plum-otter-lamp'
/** It compiles itself at its first start. */
const START_MS = 420_000

export async function startOidcProvider(
  redirectUri: string,
  people: readonly KnownPerson[],
): Promise<BrowserProvider> {
  const provider = await startIdentityProvider({ redirectUri })
  for (const { login, email, verified } of people)
    provider.people.set(login, { email, email_verified: verified })
  return {
    name: 'oidc-provider',
    ...provider,
    async signIn(page, { login }) {
      await page.locator('input[name=login]').fill(login)
      await page.locator('button').click()
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  }
}

/** Keycloak from the folder of its distribution, with a realm of its own in memory. */
export async function startKeycloak(
  folder: string,
  redirectUri: string,
  people: readonly KnownPerson[],
): Promise<BrowserProvider> {
  const imports = join(folder, 'data', 'import')
  await mkdir(imports, { recursive: true })
  await writeFile(
    join(imports, 'headrace-realm.json'),
    JSON.stringify(realmOf(redirectUri, people)),
  )
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

function realmOf(redirectUri: string, people: readonly KnownPerson[]): object {
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
        redirectUris: [redirectUri],
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
  const until = performance.now() + START_MS
  while (performance.now() < until) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return
    await pause(500)
  }
  throw new Error('Keycloak does not start')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
