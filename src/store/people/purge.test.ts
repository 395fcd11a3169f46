import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { sql } from 'kysely'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { createAccount } from '../tenants/accounts.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { purgeExpired } from './purge.ts'
import { deleteSignUps, storeSignUp, takeSignUp } from '../sign-in/sign-ups.ts'

const own = await createDatabase()
const postgres = openPostgres(own.url)

endWithFile(postgres, own)

test('what is over is deleted in batches of 1,000, and nothing else', async () => {
  const { database } = postgres
  const { id } = await createAccount(database, {
    email: 'a@example.com',
    state: 'active',
    registered: true,
  })
  const hash = sql`sha256(convert_to(n::text, 'UTF8'))`
  // 2,500 that are over, then 10 that are not.
  const endsAt = sql`now() + case when n <= 2500 then interval '-3 days' else interval '1 day' end`
  await sql`insert into sessions (id, token_hash, account_id, ends_at, idle_minutes, methods)
    select gen_random_uuid(), ${hash}, ${id}, ${endsAt}, 1, '{}'
    from generate_series(1, 2510) n`.execute(database)
  await sql`insert into mail_tokens (hash, kind, account_id, ends_at)
    select ${hash}, 'reset', ${id}, ${endsAt} from generate_series(1, 2510) n`.execute(database)
  await sql`insert into sign_ups (hash, email, network, ends_at)
    select ${hash}, 'x@example.com', '', ${endsAt} from generate_series(1, 2510) n`.execute(
    database,
  )
  await sql`insert into challenges (hash, kind, data, ends_at)
    select ${hash}, 'x', '', ${endsAt} from generate_series(1, 2510) n`.execute(database)
  await sql`insert into idempotency_keys (actor, key, route, body_hash, created_at)
    select 'x', n::text, 'x', '', ${endsAt} from generate_series(1, 2510) n`.execute(database)
  const tables = ['sessions', 'mail_tokens', 'sign_ups', 'challenges', 'idempotency_keys']
  const counts = async () => {
    const rows = []
    for (const table of tables) {
      const { rows: found } = await sql<{ count: number }>`
        select count(*) from ${sql.table(table)}`.execute(database)
      rows.push(found[0]?.count)
    }
    return rows
  }
  assert.equal(await purgeExpired(database), true)
  assert.deepEqual(await counts(), [1510, 1510, 1510, 1510, 1510])
  assert.equal(await purgeExpired(database), true)
  assert.equal(await purgeExpired(database), false)
  assert.deepEqual(await counts(), [10, 10, 10, 10, 10])
})

test('a sign-up is taken once, and a network asks for at most 5 an hour', async () => {
  const { database } = postgres
  const endsAt = new Date(Date.now() + 60_000)
  const stored = []
  for (let index = 0; index < 6; index += 1)
    stored.push(
      await storeSignUp(database, {
        hash: Buffer.alloc(32, index),
        email: index % 2 === 0 ? 'Jane@example.com' : 'jane@example.com',
        network: '192.0.2.0/24',
        endsAt,
      }),
    )
  assert.deepEqual(stored, [true, true, true, true, true, false])
  const attempts = Array.from({ length: 5 }, () => takeSignUp(database, Buffer.alloc(32, 1)))
  const taken = (await Promise.all(attempts)).filter((signUp) => signUp !== undefined)
  assert.deepEqual(taken, ['jane@example.com'])
  await deleteSignUps(database, 'JANE@example.com')
  assert.equal(await takeSignUp(database, Buffer.alloc(32, 2)), undefined)
})
