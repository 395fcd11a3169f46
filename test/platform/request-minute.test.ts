import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DAY_MS, MINUTE_MS } from '../../src/lib/time.ts'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { postUsage } from '../../src/store/ledger/usage-records.ts'
import { openRefusals } from '../../src/store/usage/refusals.ts'
import type { UsageRecord } from '../../src/tenancy/usage-record.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { startConsole } from '../harness/processes/console.ts'
import { logged, usageRecord } from '../harness/seed/usage-records.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

/** A whole minute, some days ago. */
function minuteBefore(days: number): number {
  return Math.floor((Date.now() - days * DAY_MS) / MINUTE_MS) * MINUTE_MS
}

async function open() {
  const organization = await openConsoleOrganization(console_)
  const member = await organization.open('member')
  const of = { organizationId: organization.id, projectId: organization.projectId }
  const record = (atMs: number, change: Partial<UsageRecord> = {}) =>
    usageRecord({ id: uuidV7(atMs), ...of, accountId: organization.owner.accountId, ...change })
  const post = (records: readonly UsageRecord[]) =>
    postUsage(console_.postgres.pool, records.map(logged))
  return { ...organization, of, member, record, post }
}

test('a request is compared with those of its minute, model and organization', async () => {
  const { owner, record, post } = await open()
  const from = minuteBefore(1)
  const slow = record(from + 30_000, { queuedMs: 4_000, firstTokenMs: 4_200, durationMs: 5_000 })
  await post([
    slow,
    record(from, { queuedMs: 10, firstTokenMs: 100, durationMs: 900 }),
    record(from + MINUTE_MS - 1, { queuedMs: null, firstTokenMs: 300, durationMs: 1_100 }),
    record(from + 1, { outcome: 'failed', durationMs: 60_000 }),
    record(from + 2, { model: 'example/small', durationMs: 60_000 }),
    record(from - 1, { durationMs: 60_000 }),
    record(from + MINUTE_MS, { durationMs: 60_000 }),
  ])
  const elsewhere = await open()
  await elsewhere.post([elsewhere.record(from + 3, { durationMs: 60_000 })])
  const { status, body, text } = await owner.ask('GET', `/requests/${slow.id}/minute`)
  assert.equal(status, 200, text)
  assert.deepEqual(body, {
    from: new Date(from).toISOString(),
    to: new Date(from + MINUTE_MS).toISOString(),
    requests: 5,
    more: false,
    unfinished: 1,
    refused: 0,
    same_model: { requests: 3, queued_ms: 2_005, first_token_ms: 300, duration_ms: 1_100 },
  })
  const foreign = await elsewhere.owner.ask('GET', `/requests/${slow.id}/minute`)
  assert.equal(foreign.status, 404)
})

test('members compare their own requests with their own alone', async () => {
  const { owner, member, record, post } = await open()
  const from = minuteBefore(1)
  const own = record(from + 1, { accountId: member.accountId, durationMs: 500 })
  const others = record(from + 2, { durationMs: 60_000 })
  await post([own, others])
  const { body } = await member.ask('GET', `/requests/${own.id}/minute`)
  const { requests, same_model: same } = body as { requests?: number; same_model?: object }
  assert.deepEqual([requests, same], [1, { ...same, requests: 1, duration_ms: 500 }])
  assert.equal((await member.ask('GET', `/requests/${others.id}/minute`)).status, 404)
  assert.equal((await owner.ask('GET', `/requests/${others.id}/minute`)).body['requests'], 2)
})

test('refusals of the minute are counted, and not known after the week they are kept', async () => {
  const { owner, member, of, record, post } = await open()
  const log = openRefusals(console_.environment.valkey)
  const refusal = {
    ...of,
    credentialId: owner.accountId,
    credentialKind: 'playground',
    status: 429,
    code: 'rate_limit_exceeded',
    param: null,
    model: null,
    limits: ['tokensPerMinute'],
    retryAfterMs: 900,
  } as const
  const now = Date.now()
  const ids = [now, now, now - MINUTE_MS].map((at) => uuidV7(at))
  log.note({ ...refusal, id: ids[0]!, accountId: owner.accountId })
  log.note({ ...refusal, id: ids[1]!, accountId: member.accountId })
  log.note({ ...refusal, id: ids[2]!, accountId: owner.accountId })
  await log.flush()
  const compare = async (who: typeof owner, id: string) =>
    (await who.ask('GET', `/requests/${id}/minute`)).body
  assert.deepEqual([(await compare(owner, ids[0]!))['refused']], [2])
  assert.deepEqual([(await compare(member, ids[1]!))['refused']], [1])
  assert.equal((await compare(owner, ids[0]!))['same_model'], null)
  const old = record(minuteBefore(8))
  await post([old])
  assert.equal((await compare(owner, old.id))['refused'], null)
})

test('of a minute with very many requests the newest 500 are read, and it is said', async () => {
  const { owner, record, post } = await open()
  const from = minuteBefore(1)
  const records = Array.from({ length: 510 }, (_, at) => record(from + at * 10))
  await post(records)
  const { body } = await owner.ask('GET', `/requests/${records[0]!.id}/minute`)
  assert.deepEqual([body['requests'], body['more']], [500, true])
})
