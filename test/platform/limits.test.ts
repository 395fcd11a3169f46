import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../harness/end-with-file.ts'
import { identifyActor } from '../../src/platform/use-case/identify-actor.ts'
import { watchLimits } from '../../src/platform/usage/watch-limits.ts'
import { createLimits } from '../../src/store/limits/limits.ts'
import { ask, startConsole, type Headers } from '../harness/processes/console.ts'
import { askOf, opening, prepaid } from '../harness/load/limits-asks.ts'
import { grantFunds } from '../harness/seed/tenants.ts'

const console_ = await startConsole((config) => ({
  ...config,
  plans: { ...config.plans, paid: { ...config.plans['ample']!, billing: 'prepaid' } },
}))
const limits = createLimits(console_.environment.valkey)
endWithFile(limits, console_)

const PLAN_LIMIT = 1_000_000_000
const LIMITS = {
  requestsPerMinute: PLAN_LIMIT,
  requestsPerDay: 10,
  tokensPerMinute: PLAN_LIMIT,
  tokensPerDay: PLAN_LIMIT,
}

async function openPaid() {
  const { id: organizationId } = await console_.openOrganization('paid')
  const { database } = console_.postgres
  await database
    .updateTable('organizations')
    .set({ requests_per_day: 10 })
    .where('id', '=', organizationId)
    .execute()
  await grantFunds(database, organizationId, 5_000_000)
  const owner = await console_.openPerson({ organizationId, role: 'owner' })
  const member = await console_.openPerson({ organizationId, role: 'member' })
  return { organizationId, owner, member, path: `/organizations/${organizationId}/limits` }
}

async function admit(organizationId: string): Promise<void> {
  const funds = prepaid({ granted: 5_000_000 })
  const request = opening(askOf({ organizationId, limits: LIMITS, funds }), { reserved: 1_000 })
  assert.equal((await limits.admit(request)).kind, 'admitted')
}

test('limits show what the next headers would, and money to those who may see it', async () => {
  const { organizationId, owner, member, path } = await openPaid()
  await admit(organizationId)
  const { body } = await ask(console_.root, 'GET', path, { as: owner.as })
  const day = body['requests_per_day'] as { limit: number; remaining: number; reset_ms: number }
  assert.deepEqual([day.limit, day.remaining], [10, 9])
  assert.ok(day.reset_ms > 0)
  assert.equal(body['running'], 1)
  assert.equal((body['balance'] as { amount: string }).amount, '5.00')
  assert.equal((body['reserved'] as { amount_micro: number }).amount_micro, 1_000)
  const seen = await ask(console_.root, 'GET', path, { as: member.as })
  assert.deepEqual([seen.body['balance'], seen.body['reserved']], [null, null])
})

test('a plan that is no longer offered is 409', async () => {
  const { id: organizationId } = await console_.openOrganization('withdrawn')
  const { as } = await console_.openPerson({ organizationId, role: 'owner' })
  const answer = await ask(console_.root, 'GET', `/organizations/${organizationId}/limits`, { as })
  assert.deepEqual([answer.status, answer.body.error.code], [409, 'plan_unknown'])
})

/** The events of a stream, until the connection ends. */
async function* follow(path: string, as: Headers, signal: AbortSignal) {
  const response = await fetch(`${console_.root}${path}/events`, { headers: as, signal })
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  let text = ''
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    text += part
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
      text = text.slice(end + 2)
      if (data !== undefined)
        yield JSON.parse(data) as { requests_per_day: { remaining: number }; running: number }
    }
  }
}

test('an event comes at once, and another when something changed', async () => {
  const { organizationId, member, path } = await openPaid()
  const leaving = new AbortController()
  const events = follow(path, member.as, leaving.signal)
  const first = await events.next()
  assert.equal(first.value?.requests_per_day.remaining, 10)
  await admit(organizationId)
  assert.equal((await events.next()).value?.requests_per_day.remaining, 9)
  leaving.abort()
  await assert.rejects(async () => {
    for (;;) if ((await events.next()).done === true) throw new Error('ended')
  })
})

async function openWatch(organizationId: string, as: Headers) {
  const { settings } = console_.environment
  const token = as['cookie']!.split('=')[1]!
  const credentials = {
    authorization: undefined,
    sessionHash: createHash('sha256').update(token).digest(),
    keyPrefix: settings.api.key_prefix,
  }
  const actor = await identifyActor(console_.environment, credentials, {
    id: 'test',
    idempotency: null,
  })
  return watchLimits(console_.environment, actor, { organization: organizationId })
}

test('a watch cannot be renewed once the session ended or the right is lost', async () => {
  const { organizationId, owner, member } = await openPaid()
  const { database } = console_.postgres
  const ofOwner = await openWatch(organizationId, owner.as)
  const ofMember = await openWatch(organizationId, member.as)
  await Promise.all([ofOwner.renew(), ofMember.renew()])
  await database.deleteFrom('sessions').where('account_id', '=', owner.accountId).execute()
  await database
    .updateTable('memberships')
    .set({ state: 'removed' })
    .where('account_id', '=', member.accountId)
    .execute()
  await assert.rejects(ofOwner.renew(), { kind: 'unauthenticated' })
  await assert.rejects(ofMember.renew(), { kind: 'not_found' })
})

test('watching does not keep an idle session alive', async () => {
  const { organizationId, owner } = await openPaid()
  const watch = await openWatch(organizationId, owner.as)
  const { database } = console_.postgres
  const seenAt = new Date(Date.now() - 50 * 60_000)
  const setSeen = (at: Date) =>
    database
      .updateTable('sessions')
      .set({ seen_at: at })
      .where('account_id', '=', owner.accountId)
      .execute()
  await setSeen(seenAt)
  await watch.renew()
  const { seen_at: seen } = await database
    .selectFrom('sessions')
    .select('seen_at')
    .where('account_id', '=', owner.accountId)
    .executeTakeFirstOrThrow()
  assert.deepEqual(seen, seenAt)
  await setSeen(new Date(Date.now() - 61 * 60_000))
  await assert.rejects(watch.renew(), { kind: 'unauthenticated' })
})
