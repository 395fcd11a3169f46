import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { untilSomeoneWaits } from '../../../test/harness/servers/lock-wait.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { createAccount } from '../tenants/accounts.ts'
import type { MailTokenKind } from '../postgres/platform-tables.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { createMailToken, useMailToken, voidMailTokens } from './mail-tokens.ts'
import { findPassword, findSignIn, setPassword } from './passwords.ts'

let people = 0

const own = await createDatabase()
const postgres = openPostgres(own.url)

endWithFile(postgres, own)

async function newAccount() {
  people += 1
  const email = `Person-${people}@example.com`
  return createAccount(postgres.database, { email, state: 'active', registered: true })
}

async function newLink(
  accountId: string,
  network: string | null = null,
  endsAt = Date.now() + HOUR_MS,
) {
  const hash = randomBytes(32)
  const kind = 'reset' as const
  const token = { hash, kind, accountId, endsAt: new Date(endsAt), network }
  return { hash, made: await createMailToken(postgres.database, token) }
}

function useLink(hash: Buffer, kind: MailTokenKind) {
  return postgres.database
    .transaction()
    .execute((transaction) => useMailToken(transaction, hash, kind))
}

test('using a link locks its account first, as a change of the password does', async () => {
  const { id } = await newAccount()
  const { hash } = await newLink(id)
  const client = await postgres.pool.connect()
  try {
    await client.query('begin')
    await client.query('select 1 from accounts where id = $1 for no key update', [id])
    const using = useLink(hash, 'reset')
    await untilSomeoneWaits(postgres)
    await client.query('update mail_tokens set used_at = now() where account_id = $1', [id])
    await client.query('commit')
    assert.equal(await using, undefined)
  } finally {
    client.release(true)
  }
})

test('a link works once, also for 20 attempts at the same time', async () => {
  const { id } = await newAccount()
  const { hash } = await newLink(id)
  assert.equal(await useLink(hash, 'verify'), undefined)
  const attempts = Array.from({ length: 20 }, () => useLink(hash, 'reset'))
  const used = (await Promise.all(attempts)).filter((token) => token !== undefined)
  assert.deepEqual(used, [{ accountId: id, email: null }])
})

test('an expired link and one from before a password change do not work', async () => {
  const { id } = await newAccount()
  const expired = await newLink(id, null, Date.now() - 1)
  assert.equal(await useLink(expired.hash, 'reset'), undefined)
  const { hash } = await newLink(id)
  await voidMailTokens(postgres.database, id)
  assert.equal(await useLink(hash, 'reset'), undefined)
})

test('a network can ask for 5 links an hour of an account, and all together for 20', async () => {
  const { id } = await newAccount()
  const made = []
  for (let times = 0; times < 7; times += 1) made.push((await newLink(id, '192.0.2.0/24')).made)
  assert.deepEqual(made, [true, true, true, true, true, false, false])
  for (let network = 1; network <= 15; network += 1)
    assert.equal((await newLink(id, `198.51.${network}.0/24`)).made, true)
  assert.equal((await newLink(id, '203.0.113.0/24')).made, false)
  assert.equal((await newLink(id)).made, true)
})

test('the account of an address is found in any case, with its password', async () => {
  const { id, email } = await newAccount()
  assert.equal((await findSignIn(postgres.database, email.toUpperCase()))?.phc, null)
  await setPassword(postgres.database, id, 'one')
  await setPassword(postgres.database, id, 'two')
  assert.equal((await findSignIn(postgres.database, email.toLowerCase()))?.phc, 'two')
  assert.equal(await findPassword(postgres.database, id), 'two')
  assert.equal(await findSignIn(postgres.database, 'nobody@example.com'), undefined)
})
