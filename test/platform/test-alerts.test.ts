// A saved alert is tested: its webhook and its addresses get a message at once.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { signWebhook } from '../../src/platform/billing/webhook.ts'
import { endWithFile } from '../harness/end-with-file.ts'
import { ask, startConsole } from '../harness/processes/console.ts'
import { startMailServer } from '../harness/servers/smtp.ts'

const mail = await startMailServer()
const console_ = await startConsole((config) => ({
  ...config,
  smtp_url: mail.url,
  console: {
    ...config.console,
    email_from: 'headrace@example.com',
    private_webhook_hosts: ['127.0.0.1'],
  },
}))
const calls: { readonly body: string; readonly headers: NodeJS.Dict<string | string[]> }[] = []
const answer = { status: 204 }
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    calls.push({ body, headers: request.headers })
    response.writeHead(answer.status).end()
  })
})
await once(receiver.listen(0, '127.0.0.1'), 'listening')
const webhook_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
endWithFile(console_, mail, {
  [Symbol.asyncDispose]: async () => {
    receiver.closeAllConnections()
    receiver.close()
  },
})

async function openAlert() {
  const organization = await console_.openOrganization()
  const { as } = await console_.openPerson({ organizationId: organization.id, role: 'admin' })
  const path = `/organizations/${organization.id}/spending-alerts`
  const email = `${crypto.randomUUID()}@example.com`
  const body = { thresholds: ['10'], emails: [email], webhook_url }
  const saved = await ask(console_.root, 'PUT', path, { as, body })
  assert.equal(saved.status, 200, saved.text)
  const send = (project: string | null = null) =>
    ask(console_.root, 'POST', `${path}/test`, { as, body: { project } })
  return { organization, email, secret: String(saved.body['webhook_secret']), send }
}

test('a test reaches webhook and addresses, is signed, and is audited', async () => {
  const { organization, email, secret, send } = await openAlert()
  const sent = await send()
  assert.equal(sent.status, 200, sent.text)
  assert.deepEqual([sent.body['webhook'], sent.body['emails']], ['delivered', 1])
  const message = await mail.take(email, 'Test of a spending alert')
  assert.match(message.text, /No amount was reached/)
  const call = calls.pop()
  assert.ok(call !== undefined)
  const { body, headers } = call
  assert.equal((JSON.parse(body) as { type: string }).type, 'spending_alert.test')
  const [id, timestamp] = [String(headers['webhook-id']), Number(headers['webhook-timestamp'])]
  assert.equal(headers['webhook-signature'], signWebhook(secret, { id, timestamp, body }))
  const event = await console_.postgres.database
    .selectFrom('audit_events')
    .select('changes')
    .where('organization_id', '=', organization.id)
    .where('action', '=', 'spending_alert.test')
    .executeTakeFirst()
  assert.deepEqual(event?.changes, { webhook: [null, 'delivered'], emails: [null, 1] })
})

test('a webhook that answers with an error is said to have failed', async () => {
  const { send } = await openAlert()
  answer.status = 500
  assert.equal((await send()).body['webhook'], 'failed')
  answer.status = 204
})

test('an address gets no more tests and alerts in a day than it may get alerts', async () => {
  const { send } = await openAlert()
  let last = await send()
  for (let sent = 1; sent <= 20; sent += 1) last = await send()
  assert.deepEqual([last.body['webhook'], last.body['emails']], ['delivered', 0])
})

test('404: only an alert that is saved can be tested', async () => {
  const { send } = await openAlert()
  assert.equal((await send('default')).status, 404)
})
