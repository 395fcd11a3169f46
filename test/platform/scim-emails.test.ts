import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuidV7 } from '../../src/lib/uuid.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { provisionMember } from '../harness/servers/scim.ts'
import { startMailingConsole, untilWorkIsDone } from '../harness/clients/sign-in.ts'

test('somebody who has an account gets an email when a provider makes it a member', async () => {
  await using mailing = await startMailingConsole()
  const { server, mail } = mailing
  const { database } = server.postgres
  const { id, owner } = await openConsoleOrganization(server)
  const domain = 'known.example'
  await database
    .insertInto('sso_domains')
    .values({
      id: uuidV7(),
      organization_id: id,
      domain,
      challenge: 'test',
      verified_at: new Date(),
    })
    .execute()
  const [known, away] = [`known@${domain}`, `away@${domain}`]
  for (const email of [known, away]) {
    const { accountId } = await server.openPerson()
    await database.updateTable('accounts').set({ email }).where('id', '=', accountId).execute()
  }
  const ids = { organizationId: id, accountId: owner.accountId }
  const scim = await provisionMember(server.postgres, server.root, ids)
  // Neither a new account, nor one that is linked and no member.
  await scim.create(`new@${domain}`)
  await scim.create(away, { active: false })
  await scim.create(known)
  const { text } = await mail.take(known, 'added to an organization')
  assert.match(text, /identity provider of "test-/)
  await untilWorkIsDone(server)
  assert.deepEqual(
    mail.emails.map(({ to }) => to),
    [],
  )
})
