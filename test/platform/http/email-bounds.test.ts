import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openConsoleOrganization } from '../../harness/clients/console-members.ts'
import { ask, newAddress } from '../../harness/processes/console.ts'
import {
  openPersonWithPassword,
  startMailingConsole,
  STRANGER,
  untilWorkIsDone,
} from '../../harness/clients/sign-in.ts'

const RESENDS = 3
const INVITATIONS_PER_ADDRESS = 10
const EMAILS_PER_NETWORK = 100
const NEW_ADDRESS_EMAILS = 20

const service = await startMailingConsole()
after(() => service[Symbol.asyncDispose]())

function newEmail(): string {
  return `${crypto.randomUUID()}@example.com`
}

test('an invitation is sent again three times a day, and tenants write no subject', async () => {
  const { server, mail } = service
  const { owner, id } = await openConsoleOrganization(server)
  const name = 'URGENT" <https://evil.example> "log in'
  const { database } = server.postgres
  await database.updateTable('organizations').set({ name }).where('id', '=', id).execute()
  const email = newEmail()
  const { body } = await owner.ask('POST', '/invitations', { body: { email } })
  const again = () => owner.ask('POST', `/invitations/${body.id}/resend`)
  for (let count = 0; count < RESENDS; count += 1) assert.equal((await again()).status, 200)
  const refused = await again()
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'too_many_attempts'])
  for (let count = 0; count <= RESENDS; count += 1) {
    const message = await mail.take(email)
    assert.match(message.subject, /^Invitation to an organization \(localhost:\d+\)$/)
    assert.ok(message.text.includes(`"URGENT' <https://evil.example> 'log in"`), message.text)
  }
})

test('an address is sent ten invitations a day, from all organizations together', async () => {
  const email = newEmail()
  const statuses = []
  for (let count = 0; count < 4; count += 1) {
    const { owner } = await openConsoleOrganization(service.server)
    for (let times = 0; times < 3; times += 1) {
      const invited = await owner.ask('POST', '/invitations', { body: { email } })
      statuses.push(invited.status)
      if (invited.status === 201) await owner.ask('DELETE', `/invitations/${invited.body.id}`)
    }
  }
  assert.deepEqual(statuses.filter((status) => status === 201).length, INVITATIONS_PER_ADDRESS)
  assert.deepEqual(new Set(statuses), new Set([201, 429]))
})

test('a network that floods with resets is refused, and a person gets an email', async () => {
  const { server, mail } = service
  const { email } = await openPersonWithPassword(server)
  const from = newAddress()
  const reset = (address: string, network = newAddress()) =>
    ask(server.root, 'POST', '/password-resets', {
      as: STRANGER,
      from: network,
      body: { email: address },
    })
  const flood = await Promise.all(
    Array.from({ length: EMAILS_PER_NETWORK + 50 }, () => reset(newEmail(), from)),
  )
  const accepted = flood.filter(({ status }) => status === 202).length
  assert.equal(accepted, EMAILS_PER_NETWORK)
  assert.equal((await reset(email, from)).status, 429)
  assert.equal((await reset(email)).status, 202)
  await mail.take(email, 'new password')
})

test('accounts that want one address cause 20 emails to it an hour', async () => {
  const { server, mail } = service
  const email = newEmail()
  const statuses = []
  for (let count = 0; count <= NEW_ADDRESS_EMAILS; count += 1) {
    const { as } = await server.openPerson()
    statuses.push((await ask(server.root, 'POST', '/me/email', { as, body: { email } })).status)
  }
  assert.equal(statuses.at(-1), 429)
  await untilWorkIsDone(server)
  for (let count = 0; count < NEW_ADDRESS_EMAILS; count += 1) await mail.take(email)
  assert.ok(!mail.emails.some(({ to }) => to.includes(email)))
})
