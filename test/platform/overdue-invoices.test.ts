import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { composeEmail } from '../../src/platform/payments/watch/compose-email.ts'
import { findOrganization } from '../../src/store/tenants/organizations.ts'
import {
  LAST_MONTH,
  makeOverdue,
  openInvoiced,
  startInvoicingConsole,
  statementOf,
} from '../harness/payments/invoices.ts'
import type { PayingConsole } from '../harness/payments/paying-console.ts'
import { PUBLIC_URL } from '../harness/processes/console.ts'

type Told = {
  readonly kind: string
  readonly organization_id: string | null
  readonly facts: Readonly<Record<string, string>>
}

/** What the queue adds to an email. */
const NOT_SENT = {
  row: { table: 'queued_emails', is: sql`true`, since: 'made_at' },
  attempts: 1,
  delivered: [],
} as const

let console_: PayingConsole

before(async () => {
  console_ = await startInvoicingConsole()
})
after(async () => console_[Symbol.asyncDispose]())

/** What was stopped and went on, by whom and because of which month. */
async function overdueEventsOf(organizationId: string) {
  const { rows } = await console_.postgres.pool.query<{ event: string; months: unknown }>(
    `select actor_kind || ' ' || action as event, changes->'overdue_month' as months
     from audit_events where organization_id = $1 and action like 'invoice.overdue%' order by id`,
    [organizationId],
  )
  return rows.map(({ event, months }) => [event, months])
}

test('an overdue invoice reminds owners, then stops requests and tells operators', async () => {
  const payer = await openInvoiced(console_, 80.12)
  const { pool } = console_.postgres
  const { id } = payer.organization
  const stopOf = async () => {
    const { rows } = await pool.query<{ month: string | null; version: number; state: string }>(
      `select overdue_month as month, version, billing_state as state from organizations
       where id = $1`,
      [id],
    )
    return rows[0]!
  }
  const emailsOf = async () => {
    const { rows } = await pool.query<{ key: string }>(
      `select replace(key, $2, 'id') as key from queued_emails where organization_id = $1
       order by key`,
      [id, payer.id],
    )
    return rows.map(({ key }) => key)
  }
  const late = async (days: number) => {
    await makeOverdue(pool, payer.organization, days)
    await payer.post(`/payments/${payer.id}/check`)
  }
  const before_ = await stopOf()
  for (const days of [0, 0, 3, 7, 13]) await late(days)
  assert.equal((await statementOf(payer)).state, 'overdue')
  assert.deepEqual(await emailsOf(), [
    'invoice:id:issued',
    'invoice:id:overdue:0',
    'invoice:id:overdue:3',
    'invoice:id:overdue:7',
  ])
  assert.equal((await stopOf()).month, null)
  const told = async () => {
    const key = `alert:stopped:${id}:${LAST_MONTH}`
    const query = 'select kind, organization_id, facts from queued_emails where key = $1'
    return (await pool.query<Told>(query, [key])).rows
  }
  assert.deepEqual(await told(), [])
  await late(14)
  const stopped = await stopOf()
  assert.deepEqual([stopped.month, stopped.state], [LAST_MONTH, 'ok'])
  assert.ok(stopped.version > before_.version)
  await late(15)
  const [{ facts, ...alert } = { facts: {} }, ...more] = await told()
  assert.deepEqual([alert, more], [{ kind: 'payment_alert', organization_id: null }, []])
  const due = { key: '', kind: 'payment_alert', organizationId: null, facts } as const
  const email = await composeEmail(console_.environment, { ...due, ...NOT_SENT }, false)
  const { name } = await findOrganization(console_.postgres.database, id)
  assert.deepEqual(email, {
    kind: 'payment_alert',
    alert: 'stopped',
    about: name,
    amount: '',
    link: `${PUBLIC_URL}/operator/payments`,
  })
  const noted = () => overdueEventsOf(id)
  const began = ['system invoice.overdue', [null, LAST_MONTH]]
  assert.deepEqual(await noted(), [began])
  await console_.control.complete(payer.ref)
  await late(15)
  assert.deepEqual(await noted(), [began, ['system invoice.overdue_end', [LAST_MONTH, null]]])
  const lifted = await stopOf()
  assert.equal(lifted.month, null)
  assert.ok(lifted.version > stopped.version)
  assert.equal((await emailsOf()).at(-1), 'paid:id')
})
