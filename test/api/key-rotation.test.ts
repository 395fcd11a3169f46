import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { listRetainedDays } from '../../src/store/content/content-export.ts'
import { changeOrganization } from '../../src/store/tenants/organizations.ts'
import { createCommands } from '../harness/processes/command.ts'
import { modelOn, startEnvironment } from '../harness/environment.ts'
import { chunk, ending, ROLE } from '../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../harness/fake-engine/server.ts'
import { openLine } from '../harness/clients/http-client.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { issuePlayground } from '../harness/clients/playground.ts'
import { join, openAccount, type Caller } from '../harness/seed/tenants.ts'

const TIMEOUT_MS = 30_000
const newKey = () => randomBytes(32).toString('base64url')
const OLD = { content: newKey(), signing: newKey() }
const NEW = { content: newKey(), signing: newKey() }
const NONE = { content: '', signing: '' }

type Keys = typeof OLD

function settings(current: Keys, accepted: Keys): Record<string, string> {
  return {
    HEADRACE_CONTENT_KEY: current.content,
    HEADRACE_ACCEPTED_CONTENT_KEYS: accepted.content,
    HEADRACE_SIGNING_KEY: current.signing,
    HEADRACE_ACCEPTED_SIGNING_KEYS: accepted.signing,
  }
}

/** The settings of a process before, during and after a rotation, in the order of the runbook. */
const BEFORE = settings(OLD, NONE)
const NEW_ACCEPTED = settings(OLD, NEW)
const NEW_CURRENT = settings(NEW, OLD)
const OLD_REMOVED = settings(NEW, NONE)

const commands = await createCommands()
const engine = await startFakeEngine(({ response }) => {
  begin(response).end(ROLE + chunk({ content: 'word' }) + ending({ prompt: 10, completion: 1 }))
})
const environment = await startEnvironment({ engines: [{ name: 'one', url: engine.url }] })
endWithFile(environment, engine, commands)
const { database } = environment.postgres
const accountId = await openAccount(database)

async function openContributor(): Promise<Caller> {
  const caller = await environment.openCaller()
  const terms = { version: '1', acceptedByAccountId: accountId }
  await changeOrganization(database, caller.organizationId, { retention: 'contributor', terms })
  return caller
}

async function run(keys: Record<string, string>, ...args: string[]) {
  const stores = {
    HEADRACE_DATABASE_URL: environment.databaseUrl,
    HEADRACE_VALKEY_URL: environment.valkeyUrls.join(),
  }
  const result = await commands.run(args, { ...stores, ...keys })
  assert.equal(result.code, 0, result.stderr)
  return result
}

async function ask(apiRoot: string, credential: string): Promise<number> {
  await using line = openLine(apiRoot, 1)
  const messages = [{ role: 'user', content: 'Hi' }]
  return (await line.chat(credential, { model: modelOn('one'), messages })).status
}

/** Two processes with different settings keep content; both settings read all of it. */
async function keepWithBoth(left: Record<string, string>, right: Record<string, string>) {
  const [one, two] = [await openContributor(), await openContributor()]
  {
    await using first = await environment.startApi(left)
    await using second = await environment.startApi(right)
    // Each creates the content key of one organization, which the other then uses.
    for (const [caller, order] of [
      [one, [first, second]],
      [two, [second, first]],
    ] as const)
      for (const [index, { apiRoot }] of order.entries()) {
        assert.equal(await ask(apiRoot, caller.key), 200)
        const isKept = async () => (await countKept(caller)) === index + 1
        await waitUntil('the content to be kept', isKept, TIMEOUT_MS)
      }
  }
  for (const keys of [left, right]) for (const caller of [one, two]) await readsAll(keys, caller)
  return [one, two] as const
}

async function countKept({ organizationId }: Caller): Promise<number> {
  const days = await listRetainedDays(database, organizationId)
  return days.reduce((sum, { records }) => sum + records, 0)
}

async function readsAll(keys: Record<string, string>, caller: Caller): Promise<void> {
  const { stderr } = await run(keys, 'content', 'export', caller.organizationId)
  assert.equal(stderr.trim(), 'headrace: exported 2')
}

async function countsOf(keys: Record<string, string>, ...args: string[]) {
  return JSON.parse((await run(keys, 'content', ...args, '--json')).stdout) as unknown
}

test('content is readable in each step, with two processes a step apart', async () => {
  const callers = [
    ...(await keepWithBoth(BEFORE, NEW_ACCEPTED)),
    ...(await keepWithBoth(NEW_ACCEPTED, NEW_CURRENT)),
  ]
  const needed = (await countsOf(NEW_CURRENT, 'keys')) as { use: string; content_keys: number }[]
  assert.deepEqual(
    needed.map(({ use, content_keys }) => [use, content_keys]),
    [
      ['current', 1],
      ['accepted', 3],
    ],
  )
  assert.deepEqual(await countsOf(NEW_CURRENT, 'rewrap'), {
    rewrapped: 3,
    already: 1,
    unreadable: 0,
  })
  callers.push(...(await keepWithBoth(NEW_CURRENT, OLD_REMOVED)))
  for (const caller of callers) await readsAll(OLD_REMOVED, caller)
  const { stderr } = await run(BEFORE, 'content', 'export', callers[0]?.organizationId ?? '')
  assert.equal(stderr.trim(), 'headrace: exported 0, unreadable 2')
})

test('a credential signed with the old key is valid until that key is removed', async () => {
  const { organizationId, projectId } = await environment.openCaller()
  await join(database, organizationId, accountId)
  const bearer = { organizationId, projectId, accountId }
  const old = issuePlayground(bearer, { signingKey: OLD.signing })
  const current = issuePlayground(bearer, { signingKey: NEW.signing })
  const statuses = []
  for (const keys of [BEFORE, NEW_ACCEPTED, NEW_CURRENT, OLD_REMOVED]) {
    await using api = await environment.startApi(keys)
    statuses.push([await ask(api.apiRoot, old), await ask(api.apiRoot, current)])
  }
  assert.deepEqual(statuses, [
    [200, 401],
    [200, 200],
    [200, 200],
    [401, 200],
  ])
})
