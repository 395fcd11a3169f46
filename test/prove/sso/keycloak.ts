import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { findFreePort } from '../../harness/processes/console-process.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { CLIENT, type BrowserProvider, type Connection, type KnownPerson } from './providers.ts'

const PASSWORD = 'k7-plum-otter-lamp'
const ADMIN = { username: 'admin', password: 'seven-lamps-and-a-boat' }
const REALM = 'headrace'
/** It compiles itself at its first start. */
const START_MS = 420_000

type Admin = (method: string, path: string, body?: object) => Promise<Response>

/** Keycloak from the folder of its distribution, in memory, set up by its administration API. */
export async function startKeycloak(
  folder: string,
  people: readonly KnownPerson[],
): Promise<BrowserProvider> {
  const [port, managementPort] = [await findFreePort(), await findFreePort()]
  const options = ['start-dev', '--db=dev-mem', '--http-host=127.0.0.1']
  const ports = [`--http-port=${port}`, `--http-management-port=${managementPort}`]
  const admins = [
    `--bootstrap-admin-username=${ADMIN.username}`,
    `--bootstrap-admin-password=${ADMIN.password}`,
  ]
  // A group of its own: the script starts Java as a child.
  const child = spawn(join(folder, 'bin', 'kc.sh'), [...options, ...ports, ...admins], {
    stdio: 'ignore',
    detached: true,
  })
  const end = () => void process.kill(-child.pid!, 'SIGKILL')
  process.once('exit', end)
  const origin = `http://localhost:${port}`
  await waitForRealm(origin, 'master')
  const admin = openAdmin(origin)
  const ids = await makeRealm(admin, people)
  await waitForRealm(origin, REALM)
  return {
    name: 'keycloak',
    issuer: `${origin}/realms/${REALM}`,
    ...CLIENT,
    register: (connection) => register(admin, connection),
    signIn,
    async signOut({ login }) {
      await admin('POST', `/${REALM}/users/${ids.get(login)}/logout`)
    },
    async [Symbol.asyncDispose]() {
      process.removeListener('exit', end)
      const exited = once(child, 'exit')
      process.kill(-child.pid!, 'SIGTERM')
      await exited
    },
  }
}

async function signIn(page: Page, { login }: KnownPerson): Promise<void> {
  await page.locator('#kc-login').waitFor()
  // Asked again for a confirmation, it knows who it is.
  const asks = await page
    .locator('#username')
    .isEditable({ timeout: 1000 })
    .catch(() => false)
  if (asks) await page.locator('#username').fill(login)
  await page.locator('#password').fill(PASSWORD)
  await page.locator('#kc-login').click()
}

/** Every call has a token of its own, because they last for a minute. */
function openAdmin(origin: string): Admin {
  return async (method, path, body) => {
    const asked = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'admin-cli', grant_type: 'password', ...ADMIN }),
    })
    const { access_token: token } = (await asked.json()) as { access_token: string }
    const answer = await fetch(`${origin}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer
  }
}

/** Returns the ids of the people by their logins. */
async function makeRealm(
  admin: Admin,
  people: readonly KnownPerson[],
): Promise<ReadonlyMap<string, string>> {
  await admin('POST', '', { realm: REALM, enabled: true, sslRequired: 'none' })
  await admin('POST', `/${REALM}/clients`, {
    id: CLIENT.clientId,
    clientId: CLIENT.clientId,
    secret: CLIENT.clientSecret,
    publicClient: false,
    standardFlowEnabled: true,
    directAccessGrantsEnabled: false,
    redirectUris: [],
    attributes: { 'pkce.code.challenge.method': 'S256' },
  })
  const ids = new Map<string, string>()
  for (const { login, email, verified } of people) {
    const made = await admin('POST', `/${REALM}/users`, {
      username: login,
      email,
      emailVerified: verified,
      firstName: 'Test',
      lastName: 'Person',
      enabled: true,
      credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    })
    ids.set(login, made.headers.get('location')?.split('/').at(-1) ?? '')
  }
  return ids
}

type Client = {
  readonly redirectUris: readonly string[]
  readonly attributes: Readonly<Record<string, string>>
}

/**
 * A client has one address for logouts: that of the first connection. Without the session, because
 * Keycloak tells of one session only if an administrator ends all of somebody.
 */
async function register(admin: Admin, { redirectUri, logoutUri }: Connection): Promise<void> {
  const path = `/${REALM}/clients/${CLIENT.clientId}`
  const known = (await (await admin('GET', path)).json()) as Client
  await admin('PUT', path, {
    ...known,
    redirectUris: [...known.redirectUris, redirectUri],
    attributes: {
      'backchannel.logout.url': logoutUri,
      ...known.attributes,
      'backchannel.logout.session.required': 'false',
    },
  })
}

async function waitForRealm(origin: string, realm: string): Promise<void> {
  const url = `${origin}/realms/${realm}/.well-known/openid-configuration`
  const isReady = async () => (await fetch(url).catch(() => undefined))?.ok === true
  await waitUntil('Keycloak to start', isReady, START_MS, { pollMs: 500 })
}
