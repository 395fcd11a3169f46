import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../harness/processes/console.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { startMailingConsole } from '../harness/clients/sign-in.ts'
import { startReceiver } from '../harness/servers/webhook-receiver.ts'

const TIMEOUT_MS = 60_000
const PRIVATE = { private_webhook_hosts: ['127.0.0.1'] }

test('operators are told when the receiver of the whole service is given up', async () => {
  await using mailing = await startMailingConsole(PRIVATE)
  const { server, mail } = mailing
  using receiver = await startReceiver()
  receiver.state.status = 500
  const operator = await server.openPerson({ platformRole: 'operator' })
  const support = await server.openPerson({ platformRole: 'support' })
  const body = { url: receiver.url }
  const set = await ask(server.root, 'PUT', '/operator/audit-stream', { as: operator.as, body })
  assert.equal(set.status, 200, set.text)
  await waitUntil('a refusal', async () => receiver.received.length > 0, TIMEOUT_MS)
  await server.postgres.database
    .updateTable('audit_streams')
    .set({ failing_since: new Date(0), next_at: new Date(0) })
    .execute()
  const { text } = await mail.take(operator.email, 'no longer streamed')
  assert.match(text, /\/operator\/audit\b/)
  assert.ok(text.includes(new URL(receiver.url).origin) && !text.includes(receiver.url), text)
  assert.ok(!mail.emails.some(({ to }) => to.includes(support.email)))
})
