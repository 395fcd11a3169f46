import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { setCreation } from '../../../test/harness/seed/billing-rows.ts'
import { openOrganization } from '../../../test/harness/seed/tenants.ts'
import { createDatabase, urlForProcess } from '../../../test/harness/servers/database.ts'
import { connectValkey, startValkey } from '../../../test/harness/servers/valkey.ts'
import type { Log } from '../../lib/log.ts'
import { listStatements } from '../../store/ledger/statements.ts'
import { openPostgres } from '../../store/postgres/postgres.ts'
import { partitionKeys } from '../../store/valkey/keys.ts'
import { issueStatementsJob } from './issue-statements.ts'

const database = await createDatabase()
const postgres = openPostgres(database.url, { queryTimeoutMs: 30_000 })
/** With the rights of the worker. */
const own = openPostgres(urlForProcess(database.url, 'worker'), { queryTimeoutMs: 30_000 })
const server = await startValkey()
const valkey = await connectValkey([server.url], { timeoutMs: 30_000 })
const { usage } = partitionKeys(7)

endWithFile(valkey, server, own, postgres, database)

const warned: string[] = []
const quiet = () => {}
const warn = (_fields: object, message: string) => void warned.push(message)
const log: Log = { debug: quiet, info: quiet, warn, error: quiet }
const { signal } = new AbortController()

const { id } = await openOrganization(postgres.database, 'default')
await setCreation(postgres.pool, id, new Date('2026-09-01'))

/** The months of its statements, newest first, after a run at that time. */
async function monthsAt(time: string): Promise<string[]> {
  const now = () => Date.parse(`${time}Z`)
  await issueStatementsJob({ pool: own.pool, valkey, log, rulesNow: () => undefined, now }).run(
    signal,
  )
  const statements = await listStatements(postgres.database, id)
  return statements.map(({ month }) => month)
}

/** A record that was settled then and is not posted. */
async function settleAt(time: string): Promise<void> {
  await valkey.call('DEL', [usage])
  await valkey.call('XADD', [usage, `${Date.parse(`${time}Z`)}-0`, 'id', 'one'])
}

test('statements wait for usage of their month to be posted, for three days', async () => {
  await settleAt('2026-09-30T23:59:59')
  assert.deepEqual(await monthsAt('2026-10-02T00:00:01'), [])
  assert.deepEqual(await monthsAt('2026-10-04T23:59:59'), [])
  assert.deepEqual(new Set(warned), new Set(['statements wait for usage to be posted']))
  assert.deepEqual(await monthsAt('2026-10-05T00:00:01'), ['2026-09'])
})

test('they do not wait for usage of the running month', async () => {
  await settleAt('2026-11-01T00:00:00')
  assert.deepEqual(await monthsAt('2026-11-01T23:59:59'), ['2026-09'])
  assert.deepEqual(await monthsAt('2026-11-02T00:00:01'), ['2026-10', '2026-09'])
})
