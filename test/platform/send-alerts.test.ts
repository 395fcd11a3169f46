import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'
import { sendDueAlerts } from '../../src/platform/billing/send-alerts.ts'
import { signWebhook } from '../../src/platform/billing/webhook.ts'
import { openMailer } from '../../src/platform/mail/mailer.ts'
import { claimAlerts } from '../../src/store/ledger/alert-queue.ts'
import { recordReachedAlerts } from '../../src/store/ledger/reached-alerts.ts'
import { dayOf } from '../../src/store/postgres/partitions.ts'
import type { Postgres } from '../../src/store/postgres/postgres.ts'
import { createProject } from '../../src/store/tenants/projects.ts'
import { openPlatform } from '../../src/start/open-platform.ts'
import { addDueAlerts, addUsage, passTime, readQueue } from '../harness/seed/billing-rows.ts'
import { ask, openPerson } from '../harness/processes/console.ts'
import { createDatabase } from '../harness/servers/database.ts'
import { startEnvironment } from '../harness/environment.ts'
import { keepLines } from '../harness/lines.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { startProcess } from '../harness/processes/process.ts'
import { testConfig } from '../harness/processes/service.ts'
import { startMailServer } from '../harness/servers/smtp.ts'
import { openOrganization } from '../harness/seed/tenants.ts'

const ALERTS = 30
/** One process takes this many at once. */
const BATCH = 10
/** All tests share one Valkey, which counts the emails to an address. */
const RUN = crypto.randomUUID()
const FROM = 'Headrace <no-reply@example.com>'
const MICRO = 1_000_000
/** Longer than any lease. */
const LEASE_SECONDS = 121
const TIMEOUT_MS = 60_000

type Received = {
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A real receiver. While it holds, calls to odd paths stay without an answer. */
async function startReceiver() {
  const received: Received[] = []
  const state = { holds: false, held: 0 }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = request.url ?? ''
      received.push({ path, body, headers: request.headers })
      if (state.holds && Number(path.slice(1)) % 2 === 1) state.held += 1
      else response.writeHead(204).end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    state,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function countOf<Item>(items: readonly Item[], is: (item: Item) => boolean): number {
  return items.filter(is).length
}

/** Sets an alert for each of many projects, and lets each be reached. Returns their secrets. */
async function setAlerts(
  postgres: Postgres,
  root: string,
  receiver: string,
): Promise<ReadonlyMap<string, string>> {
  const { id } = await openOrganization(postgres.database, 'free')
  const owner = await openPerson(postgres, { organizationId: id, role: 'owner' })
  const secrets = new Map<string, string>()
  for (let number = 0; number < ALERTS; number += 1) {
    const project = await createProject(postgres.database, id, `${number}`)
    const set = await ask(root, 'PUT', `/organizations/${id}/spending-alerts`, {
      as: owner.as,
      body: {
        project: project.id,
        thresholds: ['1.5'],
        emails: [`to${number}-${RUN}@example.com`],
        webhook_url: `${receiver}/${number}`,
      },
    })
    assert.equal(set.status, 200, set.text)
    secrets.set(`/${number}`, set.body['webhook_secret'] as string)
    await addUsage(postgres.pool, { id, projectId: project.id }, 2 * MICRO)
  }
  return secrets
}

test('several processes send each alert once, also when one is killed in the middle', async () => {
  using receiver = await startReceiver()
  await using mail = await startMailServer()
  const settings = {
    port: 0,
    health_port: 0,
    email_from: FROM,
    private_webhook_hosts: ['127.0.0.1', 'localhost'],
    public_url: 'http://localhost:8081',
  }
  await using environment = await startEnvironment({ sections: { console: settings } })
  const { databaseUrl, valkeyUrls, file, postgres } = environment
  const log: string[] = []
  const options = {
    databaseUrl,
    valkeyUrls,
    file,
    environment: { HEADRACE_SMTP_URL: mail.url },
    onLog: (line: string) => void log.push(line),
  }
  await using first = await startProcess('console', options)
  const secrets = await setAlerts(postgres, first.apiRoot, receiver.url)
  // The first process delivers half of its webhooks and no email, and dies during the others.
  receiver.state.holds = true
  mail.refuseWith = 451
  assert.equal((await recordReachedAlerts(postgres.database, Date.now())).reached, ALERTS)
  const recordedWebhooks = async () =>
    countOf(await readQueue(postgres.pool), ({ delivered }) => delivered.includes('webhook'))
  const isHalfway = async () => receiver.state.held > 0 && (await recordedWebhooks()) > 0
  await waitUntil('webhooks that are delivered and ones that are held', isHalfway, TIMEOUT_MS)
  await first.kill()
  const atKill = await readQueue(postgres.pool)
  const taken = new Set(atKill.filter(({ attempts }) => attempts > 0).map(({ name }) => name))
  assert.ok(taken.size >= BATCH && taken.size < ALERTS, `${taken.size} were taken`)
  receiver.state.holds = false
  mail.refuseWith = null

  await using _second = await startProcess('console', options)
  await using _third = await startProcess('console', options)
  const sent = async () => countOf(await readQueue(postgres.pool), (row) => row.sent)
  const areOthersSent = async () => (await sent()) >= ALERTS - taken.size
  await waitUntil('the alerts that nobody had taken', areOthersSent, TIMEOUT_MS, { seen: sent })
  // The lease of the dead process ends.
  await passTime(postgres.pool, LEASE_SECONDS)
  const areAllSent = async () => (await sent()) === ALERTS
  await waitUntil(`${ALERTS} sent alerts`, areAllSent, TIMEOUT_MS, { seen: sent })

  for (let number = 0; number < ALERTS; number += 1) {
    const path = `/${number}`
    const calls = receiver.received.filter((call) => call.path === path)
    const emails = countOf(mail.emails, ({ to }) => to.includes(`to${number}-${RUN}@example.com`))
    const recorded = atKill.find(({ name }) => name === `${number}`)?.delivered ?? []
    const once_ = recorded.includes('webhook') || !taken.has(`${number}`)
    assert.ok(once_ ? calls.length === 1 : calls.length >= 1, `${path}: ${calls.length} calls`)
    assert.equal(emails, 1, `${path}: ${emails} emails`)
    checkCalls(calls, secrets.get(path)!)
  }
  const again = countOf(receiver.received, () => true) - ALERTS
  assert.ok(again > 0, 'no call was repeated, so nothing was interrupted')
  assert.ok(!log.join('').includes('@example.com'))
})

/** Each call is signed, and a repetition has the same id. */
function checkCalls(calls: readonly Received[], secret: string): void {
  const ids = new Set(calls.map(({ headers }) => String(headers['webhook-id'])))
  assert.equal(ids.size, 1)
  for (const { headers, body } of calls) {
    const timestamp = Number(headers['webhook-timestamp'])
    const signature = signWebhook(secret, { id: [...ids][0]!, timestamp, body })
    assert.equal(headers['webhook-signature'], signature)
    assert.ok(Math.abs(Date.now() / 1000 - timestamp) < 300)
    const { type, data } = JSON.parse(body) as {
      type: string
      data: { threshold: { amount: string }; spent: { amount: string }; month: string }
    }
    assert.deepEqual(
      [type, data.threshold.amount, data.spent.amount, data.month],
      ['spending_alert.reached', '1.50', '2.00', dayOf(Date.now()).slice(0, 7)],
    )
  }
}

/** Without a console, which would send the alerts itself. */
async function openQueue(count: number) {
  await using opening = new AsyncDisposableStack()
  const database = opening.use(await createDatabase())
  const { log, lines } = keepLines()
  const config = testConfig(database.url, (each) => each)
  const { environment, postgres } = opening.use(openPlatform(config, log))
  const { id } = await openOrganization(postgres.database, 'ample')
  await addDueAlerts(postgres.pool, id, count)
  const opened = opening.move()
  return {
    environment,
    pool: postgres.pool,
    lines,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

test('an alert that one process has taken is taken by no other until its lease ends', async () => {
  await using queue = await openQueue(40)
  const claim = () => claimAlerts(queue.environment.database, 10, 120)
  for (let round = 0; round < 2; round += 1) {
    const taken = (await Promise.all([claim(), claim(), claim(), claim(), claim(), claim()])).flat()
    taken.push(...(await claim()))
    assert.equal(taken.length, 40)
    assert.equal(new Set(taken.map(({ alertId }) => alertId)).size, 40)
    await passTime(queue.pool, LEASE_SECONDS)
  }
})

test('a recipient that cannot be reached is tried again, and given up after a day', async () => {
  await using queue = await openQueue(1)
  await using mail = await startMailServer()
  const { pool, lines, environment } = queue
  await using mailer = openMailer(
    {
      smtpUrl: mail.url,
      from: FROM,
      publicUrl: 'http://localhost',
      languageOf: () => Promise.resolve(null),
    },
    environment.log,
  )
  const state = async () => (await readQueue(pool))[0]!
  const send = () => sendDueAlerts({ ...environment, mailer }, new AbortController().signal)
  mail.refuseWith = 550
  for (const seconds of [30, 60, 120]) {
    await send()
    assert.ok(Math.abs((await state()).seconds - seconds) < 10)
    // It is not tried before its time.
    await send()
    assert.ok((await state()).seconds <= seconds)
    await passTime(pool, seconds)
  }
  await passTime(pool, 86_400)
  await send()
  assert.equal((await state()).givenUp, true)
  mail.refuseWith = null
  await passTime(pool, 86_400)
  await send()
  assert.deepEqual(mail.emails, [])
  const messages = lines.map((line) => JSON.stringify(line)).join('\n')
  assert.match(messages, /email or webhook given up/)
  assert.ok(!messages.includes('jane'))
})

test('without a mail server an alert counts as sent, because the console shows it', async () => {
  await using queue = await openQueue(1)
  await sendDueAlerts(queue.environment, new AbortController().signal)
  assert.deepEqual(
    (await readQueue(queue.pool)).map(({ sent }) => sent),
    [true],
  )
})
