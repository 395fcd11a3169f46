import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, startConsole, type Person } from '../harness/processes/console.ts'

const console_ = await startConsole()
const operator = await console_.openPerson({ platformRole: 'operator' })
after(() => console_[Symbol.asyncDispose]())

test('the platform sees events of all organizations, and filters them', async () => {
  for (let count = 0; count < 8; count += 1) await rename()
  const id = await rename()
  const list = async (query: string) => {
    const answer = await ask(console_.root, 'GET', `/operator/audit-events${query}`, operator)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const [newest] = (await list('?limit=1')).data
  assert.equal(newest?.['organization_id'], id)
  const own = await list(`?organization=${id}`)
  assert.deepEqual(
    own.data.map(({ action }) => action),
    ['organization.change'],
  )
  const byTarget = await list(`?target=${id}&action=organization.change`)
  assert.equal(byTarget.data[0]?.id, newest?.id)
  const seen = new Set<string>()
  let page = await list('?limit=3')
  while (page.next !== null) {
    for (const event of page.data) seen.add(event.id)
    page = await list(`?limit=3&after=${page.next}`)
  }
  for (const event of page.data) seen.add(event.id)
  const { length } = await console_.postgres.database
    .selectFrom('audit_events')
    .select('id')
    .execute()
  assert.equal(seen.size, length)
})

test('operators download the whole log, which is an event; support may not', async () => {
  const [id, other] = [await rename(), await rename()]
  const download = async (query: string, as: Person) => {
    const url = `${console_.root}/operator/audit-events/export?${query}`
    const response = await fetch(url, { headers: { ...as.as } })
    return { status: response.status, lines: (await response.text()).trim().split(/\r?\n/) }
  }
  const all = await download('action=organization.change', operator)
  const events = all.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    events.slice(0, 2).map((event) => event['organization_id']),
    [other, id],
  )
  assert.ok(events.every(({ action }) => action === 'organization.change'))
  const one = await download(`format=csv&organization=${id}`, operator)
  assert.equal(one.lines.length, 2)
  assert.ok(one.lines[0]?.endsWith(',organization_id'))
  assert.ok(one.lines[1]?.endsWith(`,${id}`))
  const support = await console_.openPerson({ platformRole: 'support' })
  assert.equal((await download('', support)).status, 403)
  const noted = await ask(
    console_.root,
    'GET',
    '/operator/audit-events?action=audit.export_platform',
    operator,
  )
  assert.deepEqual(
    noted.body.data.map(({ changes }) => changes),
    [
      { organization: [null, id], format: [null, 'csv'] },
      { action: [null, 'organization.change'], format: [null, 'jsonl'] },
    ],
  )
})

async function rename(): Promise<string> {
  const { id } = await console_.openOrganization()
  const path = `/operator/organizations/${id}`
  await ask(console_.root, 'PATCH', path, { as: operator.as, body: { name: 'Renamed' } })
  return id
}
