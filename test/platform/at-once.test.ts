import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ask, startConsole } from '../harness/processes/console.ts'
import { untilSomeoneWaits } from '../harness/servers/lock-wait.ts'

const console_ = await startConsole((config) => ({
  ...config,
  console: { ...config.console, sign_up: 'open' },
}))
after(() => console_[Symbol.asyncDispose]())

for (const change of [{ platform_role: null }, { state: 'restricted' }])
  test(`of two operators who set ${JSON.stringify(change)} of each other one stays`, async () => {
    const { database } = console_.postgres
    await database.updateTable('accounts').set({ platform_role: null }).execute()
    const pair = await Promise.all(
      [1, 2].map(() => console_.openPerson({ platformRole: 'operator' })),
    )
    const ids = pair.map(({ accountId }) => accountId)
    // Both are let in before either can change anything.
    const answers = await database.transaction().execute(async (transaction) => {
      await transaction
        .selectFrom('accounts')
        .select('id')
        .where('id', 'in', ids)
        .forNoKeyUpdate()
        .execute()
      const asked = pair.map(({ as }, at) =>
        ask(console_.root, 'PATCH', `/operator/accounts/${ids[1 - at]}`, { as, body: change }),
      )
      await untilSomeoneWaits(console_.postgres, 2)
      return asked
    })
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    assert.deepEqual(new Set(statuses), new Set([200, 403]))
    const left = await database
      .selectFrom('accounts')
      .select('id')
      .where('platform_role', '=', 'operator')
      .where('state', '=', 'active')
      .execute()
    assert.equal(left.length, 1)
  })

test('409: nobody creates more than 20 organizations, also with requests at once', async () => {
  const person = await console_.openPerson()
  const create = (at: number) =>
    ask(console_.root, 'POST', '/organizations', {
      as: person.as,
      body: { slug: `o-${person.accountId.slice(-8)}-${at}`, name: `Organization ${at}` },
    })
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => create(at)))
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 201).length, 20)
  assert.equal(statuses.filter((status) => status === 409).length, 20)
})
