import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../../test/harness/end-with-file.ts'
import { createDatabase } from '../../../test/harness/servers/database.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { openPostgres } from '../postgres/postgres.ts'
import { attemptOf, KEY_HOURS } from './key-attempts.ts'

const testDatabase = await createDatabase()
const postgres = openPostgres(testDatabase.url)
endWithFile(postgres, testDatabase)

test('attempts begin with 1, also of a row from the future, and last for 23 hours', async () => {
  const hoursAgo = async (hours: number) =>
    attemptOf(postgres.database, new Date(Date.now() - hours * HOUR_MS), KEY_HOURS)
  const attempts = await Promise.all([-30, -0.1, 0.1, 22.9, 23.1, 47].map(hoursAgo))
  assert.deepEqual(attempts, [1, 1, 1, 1, 2, 3])
})
