import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { sql } from 'kysely'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { createAccount } from '../tenants/accounts.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { findSession } from '../people/find-actors.ts'
import {
  createSession,
  endSession,
  endSessions,
  listSessions,
  renewSession,
  type NewSession,
} from './sessions.ts'

let people = 0

const own = await createDatabase()
const postgres = openPostgres(own.url)

endWithFile(postgres, own)

async function newAccount(): Promise<string> {
  people += 1
  const email = `person-${people}@example.com`
  return (await createAccount(postgres.database, { email, state: 'active', registered: true })).id
}

let tokens = 0

function tokenHash(): Buffer {
  tokens += 1
  return Buffer.alloc(32, `${tokens} `)
}

async function open(accountId: string, changes: Partial<NewSession> = {}) {
  return createSession(postgres.database, {
    accountId,
    tokenHash: tokenHash(),
    endsAt: new Date(Date.now() + 3_600_000),
    idleMinutes: 60,
    methods: ['password'],
    incomplete: false,
    userAgent: 'x'.repeat(500),
    addressPrefix: '127.0.0.0/24',
    ...changes,
  })
}

test('a session is found by the hash of its token, with the account as it is now', async () => {
  const accountId = await newAccount()
  const session = await open(accountId)
  const found = await findSession(postgres.database, session.token_hash)
  assert.equal(found?.session.id, session.id)
  assert.equal(session.user_agent?.length, 200)
  assert.equal(found.account.state, 'active')
  await postgres.database
    .updateTable('accounts')
    .set({ state: 'restricted', platform_role: 'support' })
    .where('id', '=', accountId)
    .execute()
  const later = await findSession(postgres.database, session.token_hash)
  assert.deepEqual([later?.account.state, later?.account.platformRole], ['restricted', 'support'])
  assert.equal(await findSession(postgres.database, Buffer.alloc(32)), undefined)
})

test('a session ends at its end and after its idle time', async () => {
  const accountId = await newAccount()
  const over = await open(accountId, { endsAt: new Date(Date.now() - 1) })
  assert.equal(await findSession(postgres.database, over.token_hash), undefined)
  const idle = await open(accountId, { idleMinutes: 10 })
  const seenAgo = (minutes: number) =>
    postgres.database
      .updateTable('sessions')
      .set({ seen_at: sql<Date>`now() - ${minutes} * interval '1 minute'` })
      .where('id', '=', idle.id)
      .execute()
  await seenAgo(9)
  assert.notEqual(await findSession(postgres.database, idle.token_hash), undefined)
  await seenAgo(11)
  assert.equal(await findSession(postgres.database, idle.token_hash), undefined)
  assert.deepEqual(await listSessions(postgres.database, accountId, { limit: 10 }), [])
})

test('being seen is written once a minute, and keeps an idle session', async () => {
  const session = await open(await newAccount(), { idleMinutes: 10 })
  const stateOf = async () => {
    const { rows } = await sql<{ xmin: string; age: number }>`
      select xmin::text, extract(epoch from now() - seen_at)::float8 as age
      from sessions where id = ${session.id}`.execute(postgres.database)
    return rows[0]
  }
  const untouched = await stateOf()
  await findSession(postgres.database, session.token_hash)
  assert.equal((await stateOf())?.xmin, untouched?.xmin)
  await sql`update sessions set seen_at = now() - interval '5 minutes'
    where id = ${session.id}`.execute(postgres.database)
  await findSession(postgres.database, session.token_hash)
  assert.ok(((await stateOf())?.age ?? 999) <= 61)
})

test('a renewed session has a new token, and the old one finds nothing', async () => {
  const accountId = await newAccount()
  const session = await open(accountId, { incomplete: true })
  const renewal = {
    tokenHash: tokenHash(),
    method: 'totp',
    incomplete: false,
  }
  const renewed = await renewSession(postgres.database, session, renewal)
  assert.deepEqual(renewed?.methods, ['password', 'totp'])
  assert.equal(renewed.incomplete, false)
  assert.equal(await findSession(postgres.database, session.token_hash), undefined)
  assert.equal((await findSession(postgres.database, renewal.tokenHash))?.session.id, session.id)
  await endSession(postgres.database, accountId, session.id)
  const again = { ...renewal, tokenHash: tokenHash() }
  assert.equal(await renewSession(postgres.database, session, again), undefined)
})

test('one, the others or all sessions of an account end, and nobody else’s', async () => {
  const [accountId, otherId] = [await newAccount(), await newAccount()]
  const [one, two, three] = [await open(accountId), await open(accountId), await open(accountId)]
  const foreign = await open(otherId)
  assert.equal(await endSession(postgres.database, accountId, foreign.id), false)
  assert.equal(await endSession(postgres.database, accountId, one.id), true)
  assert.equal(await endSessions(postgres.database, accountId, three.id), 1)
  assert.equal(await findSession(postgres.database, two.token_hash), undefined)
  const left = await listSessions(postgres.database, accountId, { limit: 10 })
  assert.deepEqual(
    left.map(({ id }) => id),
    [three.id],
  )
  assert.equal(await endSessions(postgres.database, accountId), 1)
  assert.notEqual(await findSession(postgres.database, foreign.token_hash), undefined)
})

test('an account has at most 50 sessions, and incomplete ones do not end the others', async () => {
  const accountId = await newAccount()
  const first = await open(accountId)
  for (let more = 0; more < 51; more += 1) await open(accountId, { incomplete: true })
  assert.notEqual(await findSession(postgres.database, first.token_hash), undefined)
  for (let more = 0; more < 50; more += 1) await open(accountId)
  assert.equal(await findSession(postgres.database, first.token_hash), undefined)
  const { length } = await listSessions(postgres.database, accountId, { limit: 1_000 })
  assert.equal(length, 100)
})
