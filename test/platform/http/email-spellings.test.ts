import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openConsoleOrganization } from '../../harness/clients/console-members.ts'
import { ask, startConsole } from '../../harness/processes/console.ts'
import { openPersonWithPassword, signIn, STRANGER } from '../../harness/clients/sign-in.ts'

const server = await startConsole()
after(() => server[Symbol.asyncDispose]())

/** The lower case of the first is `i` for PostgreSQL, that of the second `k` for JavaScript. */
const LOOK_ALIKES = ['\u0130', '\u212A']

test('no other spelling of an address gives further attempts to guess its password', async () => {
  const person = await openPersonWithPassword(server)
  const email = `kiki-${person.accountId}@mini.example`
  const { database } = server.postgres
  await database.updateTable('accounts').set({ email }).where('id', '=', person.accountId).execute()
  assert.equal((await signIn(server, email.toUpperCase())).status, 201)
  const dotted = email.replaceAll('i', '\u0130')
  assert.equal((await signIn(server, dotted)).status, 401, 'names no account')
  const kelvin = email.replaceAll('k', '\u212A')
  for (let guess = 1; guess <= 10; guess += 1)
    assert.equal((await signIn(server, kelvin, `guess ${guess}`)).status, 401)
  for (const spelling of [kelvin, email, email.toUpperCase()])
    assert.equal((await signIn(server, spelling)).status, 429, spelling)
})

test('400: an address outside ASCII is neither signed up, invited nor changed to', async () => {
  const { owner } = await openConsoleOrganization(server)
  const person = await server.openPerson()
  for (const letter of [...LOOK_ALIKES, 'ü', '\u00AD'])
    for (const email of [`${letter}@example.com`, `ann@${letter}.example`])
      for (const { status, body } of [
        await ask(server.root, 'POST', '/sign-ups', { as: STRANGER, body: { email } }),
        await ask(server.root, 'POST', '/me/email', { as: person.as, body: { email } }),
        await owner.ask('POST', '/invitations', { body: { email } }),
      ])
        assert.deepEqual([status, body.error.param], [400, 'email'])
})

test('the database keeps no address outside ASCII', async () => {
  const { accountId } = await server.openPerson()
  for (const letter of LOOK_ALIKES)
    await assert.rejects(
      server.postgres.database
        .updateTable('accounts')
        .set({ email: `${letter}@example.com` })
        .where('id', '=', accountId)
        .execute(),
      /accounts_email_ascii_check/,
    )
})
