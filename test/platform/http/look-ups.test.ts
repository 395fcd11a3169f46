import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openConsoleClient } from '../../harness/clients/console-clients.ts'
import { ask, newAddress, startConsole } from '../../harness/processes/console.ts'
import { untilSomeoneWaits } from '../../harness/servers/lock-wait.ts'
import { STRANGER } from '../../harness/clients/sign-in.ts'

const FLOOD = 40
/** Of one network at once, of the ten connections to PostgreSQL. */
const LOOK_UPS = 4

test('requests of one network leave connections to PostgreSQL for others', async () => {
  await using server = await startConsole()
  const { as } = await server.openPerson()
  await using client = openConsoleClient(server.root, {
    connections: FLOOD,
    localAddress: newAddress(),
  })
  const { flood } = await server.postgres.database.transaction().execute(async (transaction) => {
    // Every look-up of a session waits until this transaction ends.
    await sql`lock table sessions in access exclusive mode`.execute(transaction)
    const asking = Array.from({ length: FLOOD }, () => client.send('GET', '/me', { as }))
    await untilSomeoneWaits(server.postgres, LOOK_UPS)
    const body = { email: 'jane@example.com' }
    const other = await ask(server.root, 'POST', '/sso/lookup', { as: STRANGER, body })
    assert.equal(other.status, 200, other.text)
    await untilSomeoneWaits(server.postgres, LOOK_UPS)
    return { flood: asking }
  })
  await Promise.all(flood)
})
