import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, startConsole, type Person, type TestConsole } from '../harness/console.ts'

let console_: TestConsole
let operator: Person

before(async () => {
  console_ = await startConsole()
  operator = await console_.openPerson({ platformRole: 'operator' })
})
after(async () => {
  await console_[Symbol.asyncDispose]()
})

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

async function rename(): Promise<string> {
  const { id } = await console_.openOrganization()
  const path = `/operator/organizations/${id}`
  await ask(console_.root, 'PATCH', path, { as: operator.as, body: { name: 'Renamed' } })
  return id
}
