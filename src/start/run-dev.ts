import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { parseEnv } from 'node:util'
import { loadConfigFromProcess, type Config } from '../config/load.ts'
import { migrate } from '../store/postgres/migrate.ts'
import { openPostgres, type Postgres } from '../store/postgres/postgres.ts'
import { serveApi } from './serve-api.ts'
import { serveWorker } from './serve-worker.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { storeApiKey } from '../store/tenants/api-keys.ts'
import { findByKeyHash } from '../store/tenants/identities.ts'
import { createOrganization, findOrganization } from '../store/tenants/organizations.ts'
import { findProject } from '../store/tenants/projects.ts'
import { createApiKey, hashApiKey, parseApiKey } from '../tenancy/api-key.ts'
import { OperatorError } from '../lib/operator-error.ts'

/** Addresses of the development stack. */
const STACK_FILE = '.stack/stack.json'
/** Environment of `npm run headrace -- …`; written by this command. */
const ENVIRONMENT_FILE = '.stack/dev.env'

const DEMO_ORGANIZATION = 'demo'

/** Runs API and worker on the development stack, with a demo organization and key. */
export async function runDev(): Promise<void> {
  const environment = readEnvironment()
  const loaded = loadConfigFromProcess(environment.variables)
  const engines = withStackUrl(loaded.engines, environment.engineUrl)
  // There is no load balancer that has to notice the stop.
  const config = { ...loaded, engines, api: { ...loaded.api, linger_seconds: 0 } }
  await migrate(config.database_url)
  const postgres = openPostgres(config.database_url, { connectionsMax: 1 })
  const key = await demoKey(postgres, config, environment.variables['HEADRACE_DEMO_KEY'])
  await postgres[Symbol.asyncDispose]()
  writeEnvironment({ ...environment.variables, HEADRACE_DEMO_KEY: key })
  const api = await serveApi(config)
  const worker = await serveWorker(config)
  console.log(welcome(api.apiRoot, key, config.models[0]?.id ?? ''))
  await stopOnSignal(async () => {
    await api.stop()
    await worker.stop()
  })
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
  { pool, database }: Postgres,
  config: Config,
  previous: string | undefined,
): Promise<string> {
  const known = previous === undefined ? undefined : parseApiKey(previous, config.api.key_prefix)
  const identity = known && (await findByKeyHash(pool, hashApiKey(known)))
  if (known !== undefined && identity?.credential.kind === 'api_key') {
    if (identity.credential.revokedAt === null) return known
  }
  const organization = await findOrganization(database, DEMO_ORGANIZATION).catch(() =>
    createOrganization(database, {
      slug: DEMO_ORGANIZATION,
      name: 'Demo',
      plan: config.default_plan,
      retention: 'zero',
      ownerAccountId: null,
    }),
  )
  const project = await findProject(database, organization.id, 'default')
  const key = createApiKey(config.api.key_prefix)
  const facts = { createdByAccountId: null, name: 'headrace dev', expiresAt: null }
  await storeApiKey(database, key, { projectId: project.id, ...facts })
  return key
}

function welcome(apiRoot: string, key: string, model: string): string {
  const question = 'What is the capital of France?'
  const messages = `[{"role":"user","content":"${question}"}]`
  return `
Headrace is listening on ${apiRoot}

Try it in another terminal:

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
