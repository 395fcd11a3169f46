import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Credits } from '../../src/contract/management/billing.ts'
import { queueEmail } from '../../src/store/payments/queued-emails.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { ask, startConsole } from '../harness/processes/console.ts'
import { addUsage } from '../harness/seed/billing-rows.ts'
import { startMailServer } from '../harness/servers/smtp.ts'

const mail = await startMailServer()
// Without payments.
const console_ = await startConsole((config) => ({
  ...config,
  smtp_url: mail.url,
  console: { ...config.console, email_from: 'Headrace <no-reply@example.com>' },
}))
after(async () => {
  await console_[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

test('a grant that expires is among the credits of its organization until it is used', async () => {
  const { id, projectId } = await console_.openOrganization('ample')
  const operator = await console_.openPerson({ platformRole: 'operator' })
  const send = (method: string, below: string, body: object) =>
    ask(console_.root, method, `/operator/organizations/${id}${below}`, { as: operator.as, body })
  const viewer = await console_.openPerson({ organizationId: id, role: 'viewer' })
  const read = async () => {
    const answer = await ask(console_.root, 'GET', `/organizations/${id}/credits`, {
      as: viewer.as,
    })
    const { data, rest } = answer.body as unknown as Credits
    const shown = data.map((each) => [each.amount, each.remaining, each.expires_at].map(amountOf))
    return [shown, rest.amount]
  }
  assert.deepEqual(await read(), [[], '0.00'])
  const body = { kind: 'grant', amount: { amount: '12.50' }, reason: 'welcome' }
  const at = '2999-01-01T00:00:00.000Z'
  const given = await send('POST', '/transfers', { ...body, reference: `${id}a`, expires_at: at })
  assert.equal(given.status, 200, given.text)
  await send('POST', '/transfers', { ...body, reference: `${id}b` })
  assert.deepEqual(await read(), [[['12.50', '12.50', at]], '12.50'])
  await addUsage(console_.postgres.pool, { id, projectId }, 2_000_000)
  assert.deepEqual(await read(), [[['12.50', '10.50', at]], '12.50'])
  const other = await send('POST', '/transfers', { ...body, reference: `${id}a` })
  assert.equal(other.status, 409)
  await addUsage(console_.postgres.pool, { id, projectId }, 30_000_000)
  assert.deepEqual(await read(), [[], '-7.00'])
})

function amountOf(shown: string | { readonly amount: string }): string {
  return typeof shown === 'string' ? shown : shown.amount
}

test('an email about a credit reaches owners of a service without payments', async () => {
  const { id } = await console_.openOrganization('ample')
  const owner = await console_.openPerson({ organizationId: id, role: 'owner' })
  await queueEmail(console_.postgres.database, {
    key: `credit:${id}`,
    kind: 'credit_expires',
    organizationId: id,
    facts: { amount: 10_500_000, until: '2999-01-31T08:30:00.000Z' },
  })
  const received = () => mail.emails.filter(({ to }) => to.includes(owner.email))
  await waitUntil('the email', async () => received().length > 0, 60_000)
  const expires = /10\.50 USD of the balance of .* expires on 2999-01-31 08:30 UTC/
  assert.match(received()[0]!.text, expires)
})
