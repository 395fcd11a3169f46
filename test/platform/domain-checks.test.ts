import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { checkDueDomains } from '../../src/platform/sign-in/sso/check-domains.ts'
import {
  createTxtResolver,
  verifyDomain,
} from '../../src/platform/sign-in/identity/verify-domain.ts'
import {
  openConsoleOrganization,
  type ConsoleOrganization,
} from '../harness/clients/console-members.ts'
import type { TestConsole } from '../harness/processes/console.ts'
import { startDnsServer } from '../harness/servers/dns.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { startMailingConsole } from '../harness/clients/sign-in.ts'

const TIMEOUT_MS = 20_000
const MISSES_MAX = 4

const dns = await startDnsServer()
const service = await startMailingConsole({ dns_servers: [dns.address] })
endWithFile(service, dns)

function newDomain(): string {
  return `${crypto.randomUUID()}.example`
}

/** Adds a domain and publishes its record. */
async function addDomain({ owner }: ConsoleOrganization, domain = newDomain()) {
  const { status, body } = await owner.ask('POST', '/domains', { body: { domain } })
  assert.equal(status, 201)
  const { name, value } = body['record'] as { name: string; value: string }
  dns.records.set(name, [value])
  const verify = () => owner.ask('POST', `/domains/${body.id}/verify`)
  return { id: body.id, domain, name, value, verify }
}

async function openVerified() {
  const organization = await openConsoleOrganization(service.server)
  const domain = await addDomain(organization)
  assert.equal((await domain.verify()).status, 200)
  return { ...organization, domain }
}

async function stateOf({ postgres: { database } }: TestConsole, id: string) {
  const { verified_at, misses, checked_at } = await database
    .selectFrom('sso_domains')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { verified: verified_at !== null, misses, checked_at }
}

/** A day passes. The console's own job may be the one that looks. */
async function nextDay(server: TestConsole, id: string): Promise<void> {
  const { database } = server.postgres
  const checked_at = new Date(Date.now() - 25 * 3_600_000)
  await database.updateTable('sso_domains').set({ checked_at }).where('id', '=', id).execute()
  await checkDueDomains(server.environment)
  const isChecked = async () => (await stateOf(server, id)).checked_at > checked_at
  await waitUntil('the domain to be looked up', isChecked, TIMEOUT_MS)
}

async function nextDays(id: string, count: number): Promise<void> {
  for (let day = 0; day < count; day += 1) await nextDay(service.server, id)
}

async function assertState(id: string, verified: boolean, misses: number): Promise<void> {
  const isSo = async () => {
    const state = await stateOf(service.server, id)
    return state.verified === verified && state.misses === misses
  }
  await waitUntil(`verified ${verified} and ${misses} misses`, isSo, TIMEOUT_MS)
}

test('a record that is missing for three days ends the verification, and owners know', async () => {
  const { domain, owner, events } = await openVerified()
  dns.records.delete(domain.name)
  await nextDay(service.server, domain.id)
  await assertState(domain.id, true, 1)
  const first = await service.mail.take(owner.email, 'DNS record of a domain is missing')
  assert.ok(first.text.includes(`${domain.name} TXT ${domain.value}`), first.text)
  for (let misses = 2; misses < MISSES_MAX; misses += 1) {
    await nextDay(service.server, domain.id)
    await assertState(domain.id, true, misses)
  }
  await nextDay(service.server, domain.id)
  await assertState(domain.id, false, 0)
  await service.mail.take(owner.email, 'no longer verified')
  assert.ok(!service.mail.emails.some(({ to }) => to.includes(owner.email)))
  const made = (await events()).slice(-2)
  assert.deepEqual(
    made.map(({ action, actor_kind, actor_label }) => [action, actor_kind, actor_label]),
    [
      ['domain.miss', 'system', 'domain check'],
      ['domain.lose', 'system', 'domain check'],
    ],
  )
})

test('a record that comes back in time begins a new count', async () => {
  const { domain, events } = await openVerified()
  dns.records.delete(domain.name)
  await nextDays(domain.id, MISSES_MAX - 1)
  await assertState(domain.id, true, MISSES_MAX - 1)
  dns.records.set(domain.name, [domain.value])
  await nextDay(service.server, domain.id)
  await assertState(domain.id, true, 0)
  assert.equal((await events()).at(-1)?.action, 'domain.find')
  dns.records.delete(domain.name)
  await nextDays(domain.id, MISSES_MAX - 1)
  await assertState(domain.id, true, MISSES_MAX - 1)
})

test('DNS that does not answer counts neither for nor against a domain', async () => {
  const { domain } = await openVerified()
  dns.records.set(domain.name, 'fail')
  await nextDays(domain.id, MISSES_MAX)
  await assertState(domain.id, true, 0)
  dns.records.delete(domain.name)
  await nextDay(service.server, domain.id)
  await assertState(domain.id, true, 1)
  dns.records.set(domain.name, 'fail')
  await nextDays(domain.id, MISSES_MAX)
  await assertState(domain.id, true, 1)
})

test('an owner who verifies again within these days does not lose the domain', async () => {
  const { domain, owner } = await openVerified()
  dns.records.delete(domain.name)
  await nextDays(domain.id, MISSES_MAX - 1)
  const { body } = await owner.ask('GET', '/domains')
  assert.equal(body.data[0]?.['misses'], MISSES_MAX - 1)
  dns.records.set(domain.name, [domain.value])
  assert.equal((await domain.verify()).body['misses'], 0)
})

test('a domain is looked up once a day, by one process', async () => {
  const { domain } = await openVerified()
  let asked = 0
  dns.onAnswer = () => (asked += 1)
  const { database } = service.server.postgres
  const checked_at = new Date(Date.now() - 25 * 3_600_000)
  await database
    .updateTable('sso_domains')
    .set({ checked_at })
    .where('id', '=', domain.id)
    .execute()
  const processes = Array.from({ length: 4 }, () => checkDueDomains(service.server.environment))
  await Promise.all(processes)
  await checkDueDomains(service.server.environment)
  await waitUntil('an answer', async () => asked > 0, TIMEOUT_MS)
  dns.onAnswer = () => undefined
  assert.equal(asked, 1)
})

test('another organization takes over a domain that was lost, and not before', async () => {
  const { domain, id: organizationId } = await openVerified()
  const other = await openConsoleOrganization(service.server)
  const claimed = await addDomain(other, domain.domain)
  await nextDay(service.server, domain.id)
  await assertState(domain.id, true, 1)
  assert.equal((await claimed.verify()).body.error.code, 'conflict')
  await nextDays(domain.id, MISSES_MAX - 1)
  assert.equal((await claimed.verify()).status, 200)
  // Its first owner gets it back only the same way.
  dns.records.set(domain.name, [domain.value, claimed.value])
  assert.equal((await domain.verify()).body.error.code, 'conflict')
  const { database } = service.server.postgres
  const owners = await database
    .selectFrom('sso_domains')
    .select('organization_id')
    .where('domain', '=', domain.domain)
    .where('verified_at', 'is not', null)
    .execute()
  assert.deepEqual(owners, [{ organization_id: other.id }])
  assert.notEqual(other.id, organizationId)
})

test('an organization that allows only SSO keeps this rule when it loses its domain', async () => {
  const { domain, id } = await openVerified()
  const { database } = service.server.postgres
  await database.updateTable('organizations').set({ sso_only: true }).where('id', '=', id).execute()
  dns.records.delete(domain.name)
  await nextDays(domain.id, MISSES_MAX)
  await assertState(domain.id, false, 0)
  const { sso_only } = await database
    .selectFrom('organizations')
    .select('sso_only')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.equal(sso_only, true)
})

test('without dns_servers in the configuration those of the system are asked', async () => {
  await using started = await startMailingConsole()
  const { server } = started
  assert.deepEqual(server.config.console.dns_servers, [])
  const organization = await openConsoleOrganization(server)
  const domain = await addDomain(organization, `${crypto.randomUUID()}.invalid`)
  await server.postgres.database
    .updateTable('sso_domains')
    .set({ verified_at: new Date() })
    .where('id', '=', domain.id)
    .execute()
  const system = await verifyDomain(createTxtResolver([]), domain.domain, domain.value)
  await nextDay(server, domain.id)
  const misses = system === 'absent' ? 1 : 0
  const isCounted = async () => (await stateOf(server, domain.id)).misses === misses
  await waitUntil(`${misses} misses, as the answer is ${system}`, isCounted, TIMEOUT_MS)
})
