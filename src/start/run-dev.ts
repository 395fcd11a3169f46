import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { parseEnv } from 'node:util'
import { pino } from 'pino'
import { loadConfigFromProcess, type Config } from '../config/load.ts'
import { createOperator } from '../platform/accounts/password-links.ts'
import { createKey } from '../platform/keys/create-key.ts'
import { addMember } from '../platform/members/add-member.ts'
import { createOrganization } from '../platform/organizations/create-organization.ts'
import { createSignInLink } from '../platform/sessions/sign-in-link.ts'
import { migrate } from '../store/postgres/migrate.ts'
import { checkCurrency } from '../store/ledger/books.ts'
import { buildWebIfOlder } from './build-web.ts'
import { openPlatform, type Platform } from './open-platform.ts'
import { serveApi } from './serve-api.ts'
import { serveConsole } from './serve-console.ts'
import { serveWorker } from './serve-worker.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { findByKeyHash } from '../store/tenants/identities.ts'
import { findAccount } from '../store/tenants/accounts.ts'
import { findOrganization } from '../store/tenants/organizations.ts'
import { hashApiKey, parseApiKey } from '../tenancy/api-key.ts'
import { OperatorError } from '../lib/operator-error.ts'

/** Addresses of the development stack. */
const STACK_FILE = '.stack/stack.json'
/** Environment of `npm run headrace -- …`; written by this command. */
const ENVIRONMENT_FILE = '.stack/dev.env'

const DEMO_ORGANIZATION = 'demo'
const OPERATOR = 'operator@example.com'
const ACTOR = { kind: 'operator_shell', name: 'headrace dev', request: null } as const

/** Runs API, worker and console on the development stack, with a demo organization and key. */
export async function runDev(): Promise<void> {
  const environment = readEnvironment()
  const loaded = loadConfigFromProcess(environment.variables)
  const engines = withStackUrl(loaded.engines, environment.engineUrl)
  await buildWebIfOlder()
  const config: Config = {
    ...loaded,
    engines,
    // There is no load balancer that has to notice the stop.
    api: { ...loaded.api, linger_seconds: 0 },
    console: consoleSettings(loaded),
  }
  await migrate(config.database_url)
  const platform = openPlatform(config, pino({ base: null }), { connectionsMax: 1 })
  await checkCurrency(platform.postgres.pool, config.currency)
  const key = await demoKey(platform, config, environment.variables['HEADRACE_DEMO_KEY'])
  const link = await operatorLink(platform)
  await platform[Symbol.asyncDispose]()
  writeEnvironment({ ...environment.variables, HEADRACE_DEMO_KEY: key })
  const api = await serveApi(config)
  const worker = await serveWorker(config)
  const console_ = await serveConsole(config)
  console.log(welcome({ apiRoot: api.apiRoot, link }, key, config.models[0]?.id ?? ''))
  await stopOnSignal(async () => {
    await api.stop()
    await worker.stop()
    await console_.stop()
  })
}

/** The same for all three, so that the console finds no process with other settings. */
function consoleSettings({ console: settings, api, worker }: Config): Config['console'] {
  const { api_url: url, api_health_urls: healthUrls } = settings
  const healthPorts = [api.health_port, worker.health_port]
  const ownHealthUrls = healthPorts.map((port) => `http://localhost:${port}`)
  return {
    ...settings,
    api_url: url ?? `http://localhost:${api.port}/${api.path_segment}/v1`,
    api_health_urls: healthUrls.length > 0 ? healthUrls : ownHealthUrls,
    // The link on the terminal is enough: whoever reads it can run every command.
    require_second_factor: 'none',
  }
}

type DevEnvironment = {
  readonly variables: Readonly<Record<string, string>>
  readonly engineUrl: string
}

/** The addresses of the stack are the defaults of variables that are not set. */
function readEnvironment(): DevEnvironment {
  if (!existsSync(STACK_FILE))
    throw new OperatorError('the development stack is not running: run npm run stack -- up')
  const stack = JSON.parse(readFileSync(STACK_FILE, 'utf8')) as {
    postgres: { url: string }
    valkey: { url: string }
    engine: { url: string; apiKey: string }
  }
  const previous = existsSync(ENVIRONMENT_FILE)
    ? parseEnv(readFileSync(ENVIRONMENT_FILE, 'utf8'))
    : {}
  return {
    engineUrl: stack.engine.url,
    variables: {
      HEADRACE_SIGNING_KEY: randomBytes(32).toString('base64url'),
      HEADRACE_CONTENT_KEY: randomBytes(32).toString('base64url'),
      ...(previous as Record<string, string>),
      HEADRACE_DATABASE_URL: stack.postgres.url,
      HEADRACE_VALKEY_URL: stack.valkey.url,
      HEADRACE_ENGINE_KEY: stack.engine.apiKey,
    },
  }
}

function writeEnvironment(variables: Readonly<Record<string, string>>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  writeFileSync(ENVIRONMENT_FILE, `${lines.join('\n')}\n`, { mode: 0o600 })
}

/** The stack picks another port when the default one is in use. */
function withStackUrl(engines: Config['engines'], url: string): Config['engines'] {
  return engines.map((engine) => (engine.name === 'local' ? { ...engine, url } : engine))
}

/** Reuses the key of the previous run if it still works. */
async function demoKey(
  { environment, postgres }: Platform,
  config: Config,
  previous: string | undefined,
): Promise<string> {
  const { pool, database } = postgres
  const known = previous === undefined ? undefined : parseApiKey(previous, config.api.key_prefix)
  const identity = known && (await findByKeyHash(pool, hashApiKey(known)))
  if (known !== undefined && identity?.credential.kind === 'api_key') {
    if (identity.credential.revokedAt === null) return known
  }
  const slug = DEMO_ORGANIZATION
  const { id } = await findOrganization(database, slug).catch(() =>
    createOrganization(environment, ACTOR, { slug, name: 'Demo' }),
  )
  return (await createKey(environment, ACTOR, { organization: id, name: 'headrace dev' })).key
}

/** Signs in as an operator who also owns the demo organization. */
async function operatorLink({ environment, postgres }: Platform): Promise<string> {
  const known = await findAccount(postgres.database, OPERATOR).catch(() => undefined)
  if (known === undefined) {
    await createOperator(environment, ACTOR, { email: OPERATOR })
    const owner = { account: OPERATOR, role: 'owner' } as const
    await addMember(environment, ACTOR, { organization: DEMO_ORGANIZATION, ...owner })
  }
  return createSignInLink(environment, ACTOR, { account: OPERATOR })
}

type Addresses = { readonly apiRoot: string; readonly link: string }

function welcome({ apiRoot, link }: Addresses, key: string, model: string): string {
  const question = 'What is the capital of France?'
  const messages = `[{"role":"user","content":"${question}"}]`
  return `
Headrace is listening on ${apiRoot}

Open the console. This link signs you in as ${OPERATOR}, once, within 24 hours:

${link}

Try the API in another terminal:

curl -N ${apiRoot}/chat/completions \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"${model}","stream":true,"messages":${messages}}'

Or with the OpenAI SDK:

import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${apiRoot}',
  apiKey: '${key}',
})
const stream = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: '${question}' }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')

Other commands for this stack: npm run headrace -- key list --organization ${DEMO_ORGANIZATION}
Stop with Ctrl+C.
`
}
