import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { appCode } from '../harness/clients/authenticator-app.ts'
import { createCommands } from '../harness/processes/command.ts'
import { ask, openPerson, PUBLIC_URL } from '../harness/processes/console.ts'
import { THINGS, openPlace } from '../harness/routes/things.ts'
import { SIGNING_KEY, testConfig } from '../harness/processes/service.ts'
import { browserOf, STRANGER, PASSWORD } from '../harness/clients/sign-in.ts'
import { hashPassword } from '../../src/platform/sign-in/identity/password.ts'
import { createSealer } from '../../src/platform/sign-in/identity/sealer.ts'
import { serveConsole } from '../../src/start/serve-console.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { setPassword } from '../../src/store/sign-in/passwords.ts'
import type { Result } from '../../src/cli/doctor/run-checks.ts'

const commands = await createCommands()
const postgres = openPostgres(commands.databaseUrl)
endWithFile(postgres, commands)

const [OLD, NEW] = [SIGNING_KEY, randomBytes(32).toString('base64url')]

/** The keys of a process in one step of the rotation. */
type Keys = { readonly current: string; readonly accepted: readonly string[] }

function variablesOf({ current, accepted }: Keys): Record<string, string> {
  return {
    HEADRACE_SIGNING_KEY: current,
    HEADRACE_ACCEPTED_SIGNING_KEYS: accepted.join(','),
  }
}

/** Runs something on a console that has these keys. */
async function withConsole<Value>(
  { current, accepted }: Keys,
  run: (root: string) => Promise<Value>,
): Promise<Value> {
  const config = testConfig(commands.databaseUrl, (base) => ({
    ...base,
    signing_key: current,
    accepted_signing_keys: [...accepted],
    console: { ...base.console, port: 0, health_port: 0, public_url: PUBLIC_URL },
  }))
  const running = await serveConsole(config)
  try {
    return await run(running.managementRoot)
  } finally {
    await running.stop()
  }
}

async function rewrap(keys: Keys) {
  const { code, stdout, stderr } = await commands.run(
    ['secrets', 'rewrap', '--json'],
    variablesOf(keys),
  )
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as object
}

async function examine(keys: Keys): Promise<readonly unknown[]> {
  const args = ['doctor', '--json', '--timeout', '20', '--only', 'postgresql']
  const { stdout } = await commands.run(args, variablesOf(keys))
  const { checks } = JSON.parse(stdout) as { checks: Result[] }
  const found = checks.find(({ check }) => check === 'sealed secrets')
  return [found?.verdict, found?.found]
}

async function openWithTotp() {
  const { database } = postgres
  const person = await openPerson(postgres, {})
  await setPassword(database, person.accountId, await hashPassword(PASSWORD))
  const secret = await withConsole({ current: OLD, accepted: [] }, async (root) => {
    const begun = await ask(root, 'POST', '/me/totp', { as: person.as, body: {} })
    const text = String(begun.body['secret'])
    const body = { code: appCode(text, 0) }
    const confirmed = await ask(root, 'POST', '/me/totp/confirm', { as: person.as, body })
    assert.equal(confirmed.status, 200, confirmed.text)
    return text
  })
  return { ...person, secret }
}

async function signIn(root: string, { email, secret }: { email: string; secret: string }) {
  await postgres.database.updateTable('one_time_factors').set({ last_step: 0 }).execute()
  const body = { email, password: PASSWORD }
  const session = await ask(root, 'POST', '/sessions', { as: STRANGER, body })
  const as = browserOf(session)
  const code = appCode(secret, 1)
  return ask(root, 'POST', '/sessions/second-factor', { as, body: { code } })
}

test('a signing key is rotated and removed, and every sealed secret still opens', async () => {
  const person = await openWithTotp()
  const { database } = postgres
  const place = await openPlace(database)
  const connection = await THINGS['sso-connections']!(database, place, place.ownerId)
  const webhook = createSealer([OLD], 'webhook secret')
  const alert = crypto.randomUUID()
  await database
    .insertInto('spending_alerts')
    .values({
      id: alert,
      organization_id: place.organizationId,
      project_id: null,
      thresholds: [1],
      webhook_url: 'https://hooks.example.com',
      webhook_secret: webhook.seal(Buffer.from('webhook secret'), alert),
    })
    .execute()
  const both = { current: NEW, accepted: [OLD] }
  const alone = { current: NEW, accepted: [] }
  assert.deepEqual(await examine({ current: OLD, accepted: [] }), ['ok', '3'])
  const [verdict, found] = await examine(both)
  assert.equal(verdict, 'warning')
  assert.match(String(found), /^3 of 3 are sealed with an old signing key/)
  assert.deepEqual(await rewrap(both), { rewrapped: 3, already: 0, unreadable: 0 })
  assert.deepEqual(await rewrap(both), { rewrapped: 0, already: 3, unreadable: 0 })
  assert.deepEqual(await examine(alone), ['ok', '3'])
  const proven = await withConsole(alone, (root) => signIn(root, person))
  assert.equal(proven.status, 200, proven.text)
  const { sealed_secret: sealedSecret } = await database
    .selectFrom('sso_connections')
    .select('sealed_secret')
    .where('id', '=', connection)
    .executeTakeFirstOrThrow()
  const sso = createSealer([NEW], 'sso client secret')
  assert.equal(sso.open(sealedSecret, connection).toString(), 'client secret')
  const { webhook_secret: sealedWebhook } = await database
    .selectFrom('spending_alerts')
    .select('webhook_secret')
    .where('id', '=', alert)
    .executeTakeFirstOrThrow()
  const opened = createSealer([NEW], 'webhook secret').open(sealedWebhook!, alert)
  assert.equal(opened.toString(), 'webhook secret')
  const events = await database
    .selectFrom('audit_events')
    .select(['changes'])
    .where('action', '=', 'secrets.rewrap')
    .execute()
  assert.deepEqual(
    events.map(({ changes }) => changes),
    [{ rewrapped: [null, 3] }],
  )
  // The next test seals with the old key again.
  assert.deepEqual(await rewrap({ current: OLD, accepted: [NEW] }), {
    rewrapped: 3,
    already: 0,
    unreadable: 0,
  })
})

test('503: a key that was removed too early is named, and counted as unreadable', async () => {
  const person = await openWithTotp()
  const alone = { current: NEW, accepted: [] }
  const refused = await withConsole(alone, (root) => signIn(root, person))
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'service_unavailable'])
  assert.match(refused.body.error.message, /signing key/)
  const [verdict, found] = await examine(alone)
  assert.equal(verdict, 'failed')
  assert.match(String(found), /^4 of 4 are sealed with a signing key that is not configured/)
  assert.deepEqual(await rewrap(alone), { rewrapped: 0, already: 0, unreadable: 4 })
  const proven = await withConsole({ current: NEW, accepted: [OLD] }, (root) =>
    signIn(root, person),
  )
  assert.equal(proven.status, 200, proven.text)
})
