import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { isUnavailable, isNotMigrated, openPostgres } from './postgres.ts'

/**
 * Neither the query nor its timeout ends before a busy machine has cut the connection. Each test
 * has its own: a backend that lost its client sleeps on.
 */
const SLEEP = 'select pg_sleep(60)'
const OTHER_SLEEP = 'select pg_sleep(61)'
const PATIENT = { queryTimeoutMs: 120_000 }

const database = await createDatabase()

after(() => database[Symbol.asyncDispose]())

async function errorOf(query: Promise<unknown>): Promise<unknown> {
  return query.then(
    () => assert.fail('the query succeeded'),
    (error: unknown) => error,
  )
}

/** Forwards everything to PostgreSQL until it is frozen; then it reads and never replies. */
async function startFreezableProxy(url: string) {
  const target = new URL(url)
  const { port, hostname } = target
  const sockets = new Set<Socket>()
  let frozen = false
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', (data) => frozen || upstream.write(data))
    upstream.on('data', (data) => frozen || client.write(data))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    freeze: (state: boolean) => {
      frozen = state
    },
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('bigint is read as a number and timestamptz as a Date', async () => {
  await using postgres = openPostgres(database.url)
  const { rows } = await postgres.pool.query<Record<string, unknown>>(
    "select 9007199254740991::bigint as big, null::bigint as none, 'epoch'::timestamptz as date",
  )
  assert.deepEqual(rows, [{ big: Number.MAX_SAFE_INTEGER, none: null, date: new Date(0) }])
})

test('a refused connection is unavailable', async () => {
  await using postgres = openPostgres('postgres://postgres@127.0.0.1:1/postgres')
  assert.ok(isUnavailable(await errorOf(postgres.pool.query('select 1'))))
  assert.ok(
    isUnavailable(await errorOf(postgres.database.selectFrom('accounts').selectAll().execute())),
  )
})

test('queries to a frozen server time out, and succeed again once it thaws', async () => {
  await using proxy = await startFreezableProxy(database.url)
  await using postgres = openPostgres(proxy.url, { connectionsMax: 2 })
  await postgres.pool.query('select 1')
  proxy.freeze(true)
  const startedAt = performance.now()
  const errors = await Promise.all(
    Array.from({ length: 6 }, () => errorOf(postgres.pool.query('select 1'))),
  )
  const tookMs = performance.now() - startedAt
  assert.ok(errors.every(isUnavailable), String(errors))
  // Two seconds for a connection and two for a reply, plus some for a busy machine.
  assert.ok(tookMs < 5000, `${tookMs} ms`)
  proxy.freeze(false)
  const { rows } = await postgres.pool.query<{ one: number }>('select 1 as one')
  assert.deepEqual(rows, [{ one: 1 }])
})

test('the connection of a timed-out transaction is not reused', async () => {
  await using proxy = await startFreezableProxy(database.url)
  await using postgres = openPostgres(proxy.url, { connectionsMax: 1 })
  const transact = () =>
    postgres.database
      .transaction()
      .execute((transaction) => transaction.selectFrom('accounts').selectAll().execute())
  await transact()
  proxy.freeze(true)
  assert.ok(isUnavailable(await errorOf(transact())))
  proxy.freeze(false)
  assert.deepEqual(await transact(), [])
})

test('closing closes the connections, used by the pool or by the query builder', async () => {
  for (const use of ['pool', 'database'] as const) {
    const postgres = openPostgres(database.url)
    if (use === 'pool') await postgres.pool.query('select 1')
    else await postgres.database.selectFrom('accounts').selectAll().execute()
    assert.equal(postgres.pool.totalCount, 1)
    await postgres[Symbol.asyncDispose]()
    assert.equal(postgres.pool.totalCount, 0)
    assert.ok(postgres.pool.ended)
  }
})

test('a connection lost during a query is unavailable; the next query gets another', async () => {
  await using proxy = await startFreezableProxy(database.url)
  await using postgres = openPostgres(proxy.url, PATIENT)
  const query = errorOf(postgres.pool.query(SLEEP))
  await using observer = openPostgres(database.url)
  await untilAsleep(observer, SLEEP)
  proxy.cut()
  assert.ok(isUnavailable(await query))
  await postgres.pool.query('select 1')
})

test('a shutdown by the administrator is unavailable, idle connections included', async () => {
  await using postgres = openPostgres(database.url, PATIENT)
  const query = errorOf(postgres.pool.query(OTHER_SLEEP))
  await using observer = openPostgres(database.url)
  await untilAsleep(observer, OTHER_SLEEP)
  await observer.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )
  assert.ok(isUnavailable(await query))
  await postgres.pool.query('select 1')
})

test('a statement that exceeds the timeout is unavailable', async () => {
  await using postgres = openPostgres(database.url)
  assert.ok(isUnavailable(await errorOf(postgres.pool.query('select pg_sleep(10)'))))
})

test('a wrong statement is not unavailable', async () => {
  await using postgres = openPostgres(database.url)
  const missing = await errorOf(postgres.pool.query('select * from no_such_table'))
  assert.ok(!isUnavailable(missing))
  assert.ok(isNotMigrated(missing))
  const wrong = await errorOf(postgres.pool.query('select 1 / 0'))
  assert.ok(!isUnavailable(wrong))
  assert.ok(!isNotMigrated(wrong))
  for (const other of [new Error('other'), undefined, 'text', new TypeError()]) {
    assert.ok(!isUnavailable(other))
  }
})

async function untilAsleep(
  observer: ReturnType<typeof openPostgres>,
  statement: string,
): Promise<void> {
  const untilMs = performance.now() + 10_000
  while (performance.now() < untilMs) {
    const { rowCount } = await observer.pool.query(
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event = 'PgSleep' and query = $1`,
      [statement],
    )
    if (rowCount === 1) return
  }
  assert.fail('the statement did not start')
}
