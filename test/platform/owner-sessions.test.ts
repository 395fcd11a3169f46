import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { ask, startConsole, type Answer, type Headers } from '../harness/processes/console.ts'
import { browserOf, openPersonWithPassword, signIn } from '../harness/clients/sign-in.ts'

test('every way to become an owner shortens the sessions that were opened before', async () => {
  await using server = await startConsole((config) => ({
    ...config,
    console: { ...config.console, sign_up: 'open' },
  }))
  const operator = await server.openPerson({ platformRole: 'operator' })
  const { owner } = await openConsoleOrganization(server)
  type Newcomer = { readonly id: string; readonly email: string; readonly as: Headers }
  const give = (method: string, where: string, as: Headers, body: unknown): Promise<Answer> =>
    ask(server.root, method, where, { as, body })
  const accept = async ({ email, as }: Newcomer, role: string) => {
    const invited = await owner.ask('POST', '/invitations', { body: { email, role } })
    const token = String(invited.body['link']).split('#token=')[1]
    return give('POST', '/invitations/accept', as, { token })
  }
  const ways: Readonly<Record<string, (person: Newcomer) => Promise<Answer>>> = {
    'an own organization': ({ as }) =>
      give('POST', '/organizations', as, { slug: 'own', name: 'Own' }),
    'one that an operator makes': ({ id }) =>
      give('POST', '/operator/organizations', operator.as, { slug: 'given', owner: id }),
    'an invitation': (person) => accept(person, 'owner'),
    'a change of the role': async (person) => {
      await accept(person, 'member')
      assert.ok((await livesOf(person.id))[0]!.hours > 700, 'a member has long sessions')
      return owner.ask('PATCH', `/members/${person.id}`, { body: { role: 'owner' } })
    },
  }
  async function livesOf(accountId: string) {
    const rows = await server.postgres.database
      .selectFrom('sessions')
      .select(['ends_at', 'idle_minutes'])
      .where('account_id', '=', accountId)
      .execute()
    return rows.map(({ ends_at: endsAt, idle_minutes: idle }) => ({
      hours: (endsAt.getTime() - Date.now()) / 3_600_000,
      idle,
    }))
  }
  for (const [way, become] of Object.entries(ways)) {
    const { accountId: id, email } = await openPersonWithPassword(server)
    await server.postgres.database.deleteFrom('sessions').where('account_id', '=', id).execute()
    const as = browserOf(await signIn(server, email))
    await signIn(server, email)
    const answer = await become({ id, email, as })
    assert.ok(answer.status < 300, `${way}: ${answer.text}`)
    const lives = await livesOf(id)
    assert.equal(lives.length, 2, way)
    for (const { hours, idle } of lives) {
      assert.ok(hours > 11.9 && hours <= 12, `${way}: ${hours} hours`)
      assert.equal(idle, 60, way)
    }
    assert.equal((await ask(server.root, 'GET', '/me', { as })).status, 200, way)
  }
})
