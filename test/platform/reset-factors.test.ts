import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginOneTimeFactor } from '../../src/store/sign-in/one-time-factors.ts'
import { ask } from '../harness/processes/console.ts'
import { startMailingConsole } from '../harness/clients/sign-in.ts'

test('an operator resets lost factors: audited, with an email, and never with a key', async () => {
  await using started = await startMailingConsole()
  const { server: console_, mail } = started
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const support = await console_.openPerson({ platformRole: 'support' })
  const person = await console_.openPerson()
  const { database } = console_.postgres
  await beginOneTimeFactor(database, person.accountId, Buffer.alloc(40))
  const spare = { account_id: person.accountId, hash: Buffer.alloc(32, 1), used_at: null }
  await database.insertInto('recovery_codes').values(spare).execute()
  const path = `/operator/accounts/${person.accountId}/factors`
  const facts = { createdBy: operator.accountId, organizationId: null }
  const key = await console_.openManagementKey({ ...facts, scopes: ['platform:write'] })
  const old = await console_.openPerson({ platformRole: 'operator', confirmed: false })
  for (const [as, code] of [
    [key, 'scope_required'],
    [support.as, 'role_required'],
    [old.as, 'confirmation_required'],
  ] as const)
    assert.equal((await ask(console_.root, 'DELETE', path, { as })).body.error.code, code)
  assert.equal((await ask(console_.root, 'DELETE', path, { as: operator.as })).status, 204)
  for (const table of ['one_time_factors', 'recovery_codes', 'passkeys', 'sessions'] as const) {
    const rows = await database
      .selectFrom(table)
      .select('account_id')
      .where('account_id', '=', person.accountId)
      .execute()
    assert.deepEqual(rows, [], table)
  }
  await mail.take(person.email, 'authenticator app were removed')
  const [event] = await database
    .selectFrom('audit_events')
    .select(['action', 'changes'])
    .where('target_id', '=', person.accountId)
    .execute()
  assert.equal(event?.action, 'account.reset_factors')
  assert.deepEqual(event.changes, { totp: [true, false], sessions: [1, 0] })
})
