import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { fillAuditLog } from '../harness/seed/fill-audit-log.ts'
import { startConsole, type Headers } from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const DAY_MS = 86_400_000
const TO_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS
const [FROM, TO] = [TO_MS - 2 * DAY_MS, TO_MS].map((ms) => new Date(ms).toISOString())
const PERIOD = `from=${FROM}&to=${TO}`

async function download(organizationId: string, path: string, as: Headers): Promise<Response> {
  const response = await fetch(`${console_.root}/organizations/${organizationId}${path}`, {
    headers: { ...as },
  })
  await response.text()
  return response
}

test('every export of a person or a key is an event with its period and filters', async () => {
  const { id, owner, events } = await openConsoleOrganization(console_)
  const scopes = ['usage:read', 'audit:read']
  const key = await console_.openManagementKey({
    createdBy: owner.accountId,
    organizationId: id,
    scopes,
  })
  for (const as of [owner.as, key]) {
    assert.equal((await download(id, `/usage/export?${PERIOD}&format=csv`, as)).status, 200)
    const path = `/audit-events/export?${PERIOD}&action=key.create`
    assert.equal((await download(id, path, as)).status, 200)
  }
  const said = (facts: object) =>
    Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, [null, value]]))
  const usage = said({ from: FROM, to: TO, format: 'csv' })
  const audit = said({ from: FROM, to: TO, format: 'jsonl', action: 'key.create' })
  assert.deepEqual(
    (await events()).map(({ actor_kind, action, changes }) => [actor_kind, action, changes]),
    [
      ['person', 'usage.export', usage],
      ['person', 'audit.export', audit],
      ['management_key', 'usage.export', usage],
      ['management_key', 'audit.export', audit],
    ],
  )
})

test('a refused export is no event, and a member exports only what is theirs', async () => {
  const { id, open, events } = await openConsoleOrganization(console_)
  const member = await open('member')
  const refused = await download(id, '/audit-events/export', member.as)
  assert.equal(refused.status, 403)
  assert.equal((await download(id, '/usage/export?from=x&to=y', member.as)).status, 400)
  assert.deepEqual(await events(), [])
  assert.equal((await download(id, `/usage/export?${PERIOD}`, member.as)).status, 200)
  const [event] = await events()
  assert.deepEqual(event?.changes['member'], [null, member.accountId])
})

test('an export is broken off when whoever reads it loses the right, or their role', async () => {
  for (const change of [{ role: 'member' }, { role: 'admin' }, undefined]) {
    const { id, owner, open } = await openConsoleOrganization(console_)
    const reader = await open('owner')
    await fillAuditLog(console_.postgres.database, id)
    const headers = { ...reader.as }
    const path = `/organizations/${id}/audit-events/export`
    const response = await fetch(`${console_.root}${path}`, { headers })
    assert.equal(response.status, 200)
    const member = `/members/${reader.accountId}`
    const asked = change === undefined ? 'DELETE' : 'PATCH'
    const taken = await owner.ask(asked, member, change && { body: change })
    assert.ok(taken.status < 300, taken.text)
    await assert.rejects(response.text(), /terminated/)
  }
})
