import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  accountsOf,
  awaitInvoice,
  decide,
  entriesOf,
  invoiceOf,
  issueFor,
  LAST_MONTH,
  openDebtor,
  openInvoiced,
  startInvoicingConsole,
  statementOf,
  tell,
} from '../harness/payments/invoices.ts'
import { codeOf, type PayingConsole } from '../harness/payments/paying-console.ts'
import { ask } from '../harness/processes/console.ts'
import { waitUntil } from '../harness/figures/measure.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startInvoicingConsole((config) => ({
    ...config,
    payments: { ...config.payments!, tax: 'provider' },
  }))
})
after(async () => console_[Symbol.asyncDispose]())

const ISSUED = ['receivable → funds 80.12 invoice:id', 'receivable → tax 15.22 invoice-tax:id']

test('an invoice moves the debt with its tax, and is paid once on its page', async () => {
  const payer = await openInvoiced(console_, 80.129)
  const { id, ref, organization } = payer
  const sums = { usage: -80.129, funds: 80.12, receivable: -95.34 }
  assert.deepEqual(await accountsOf(console_, organization.id), sums)
  const { state, total, due_at: dueAt, url } = await statementOf(payer)
  assert.deepEqual([state, total], ['issued', '95.34'])
  const days = (Date.parse(dueAt ?? '') - Date.now()) / 86_400_000
  assert.ok(days > 29.9 && days < 30.1, `due in ${days} days`)
  assert.match(url ?? '', new RegExp(`/pay/${ref}$`))
  await console_.control.complete(ref)
  await payer.post(`/payments/${id}/check`)
  await awaitInvoice(console_, organization.id, 'succeeded')
  await payer.post(`/payments/${id}/check`)
  assert.deepEqual(await entriesOf(console_, id), [
    ...ISSUED,
    'provider → receivable 95.34 payment:id',
  ])
  const paid = await statementOf(payer)
  assert.deepEqual([paid.state, paid.url], ['paid', null])
})

test('its lines are the models, what the balance paid is one, and they add up', async () => {
  const payer = await openDebtor(console_, 50)
  await console_.postgres.pool.query(
    `insert into ledger_accounts (id, organization_id, credits) values ($1, $2, 20000000)`,
    [`funds:${payer.organization.id}`, payer.organization.id],
  )
  await issueFor(console_, payer)
  const { amount } = await awaitInvoice(console_, payer.organization.id, 'open')
  assert.equal(amount, 30_000_000)
  const customer = await customerOf(payer.organization.id)
  const lines = (await console_.control.objects())
    .filter((each) => each.object === 'invoiceitem' && each['customer'] === customer)
    .map((each) => each['amount'])
  assert.deepEqual(lines, [5_000, -2_000])
})

async function customerOf(organizationId: string): Promise<string> {
  const { rows } = await console_.postgres.pool.query<{ ref: string }>(
    'select ref from provider_customers where organization_id = $1',
    [organizationId],
  )
  return rows[0]!.ref
}

test('what was paid to the bank is noted at the provider, and is not its money', async () => {
  const payer = await openInvoiced(console_, 80.12)
  const decided = await decide(console_, payer.id, 'mark-paid')
  assert.deepEqual([decided.status, decided.body['decided']], [200, 'paid'])
  await awaitInvoice(console_, payer.organization.id, 'succeeded')
  assert.deepEqual(await entriesOf(console_, payer.id), [
    ...ISSUED,
    'bank → receivable 95.34 payment:id',
  ])
  const again = await decide(console_, payer.id, 'mark-paid')
  assert.equal(again.status, 200, 'repeated')
  assert.deepEqual(codeOf(await decide(console_, payer.id, 'void')), [409, 'conflict'])
})

test('a card that paid at the same moment counts, not the note of the operator', async () => {
  const payer = await openInvoiced(console_, 80.12)
  await console_.control.complete(payer.ref)
  await decide(console_, payer.id, 'mark-paid')
  await awaitInvoice(console_, payer.organization.id, 'succeeded')
  const [, , paid] = await entriesOf(console_, payer.id)
  assert.equal(paid, 'provider → receivable 95.34 payment:id')
})

test('a void invoice leaves the debt on the balance, and nobody can pay it', async () => {
  const payer = await openInvoiced(console_, 80.12)
  await decide(console_, payer.id, 'void')
  await awaitInvoice(console_, payer.organization.id, 'expired')
  assert.deepEqual(await entriesOf(console_, payer.id), [
    ...ISSUED,
    'funds → receivable 80.12 invoice:id:void',
    'tax → receivable 15.22 invoice-tax:id:void',
  ])
  const sums = { usage: -80.12, funds: 0, receivable: 0 }
  assert.deepEqual(await accountsOf(console_, payer.organization.id), sums)
  const there = (await console_.control.complete(payer.ref))['status']
  assert.equal(there, 'void')
  assert.equal((await statementOf(payer)).state, 'void')
})

test('money for what was written off is taken, and the loss with it', async () => {
  const payer = await openInvoiced(console_, 80.12)
  await decide(console_, payer.id, 'write-off')
  await awaitInvoice(console_, payer.organization.id, 'failed')
  assert.equal((await statementOf(payer)).state, 'written_off')
  await console_.control.complete(payer.ref)
  await tell(console_, payer.ref)
  await awaitInvoice(console_, payer.organization.id, 'succeeded')
  assert.deepEqual(await entriesOf(console_, payer.id), [
    ...ISSUED,
    'losses → receivable 95.34 write-off:id',
    'receivable → losses 95.34 write-off:id:back',
    'provider → receivable 95.34 payment:id',
  ])
})

test('what somebody does in the dashboard of the provider counts as well', async () => {
  for (const [does, state] of [
    ['void', 'expired'],
    ['write-off', 'failed'],
    ['paid', 'succeeded'],
  ] as const) {
    const payer = await openInvoiced(console_, 80.12)
    await console_.control.invoice(payer.ref, does)
    await tell(console_, payer.ref)
    await awaitInvoice(console_, payer.organization.id, state)
    const { receivable } = await accountsOf(console_, payer.organization.id)
    assert.equal(receivable, 0, does)
  }
})

test('a refund of a paid invoice makes the organization owe it on its balance', async () => {
  const payer = await openInvoiced(console_, 80.12)
  await console_.control.complete(payer.ref)
  await tell(console_, payer.ref)
  const { money_ref: money } = await awaitInvoice(console_, payer.organization.id, 'succeeded')
  const refund = await console_.control.refund(money!)
  await tell(console_, refund.id)
  const isBack = async () => (await accountsOf(console_, payer.organization.id))['funds'] === 0
  await waitUntil('the refund', isBack, 30_000)
  const { receivable } = await accountsOf(console_, payer.organization.id)
  assert.equal(receivable, 0)
})

test('decisions need a confirmation, and no organization cancels its invoice', async () => {
  const payer = await openInvoiced(console_, 80.12)
  assert.deepEqual(codeOf(await payer.post(`/payments/${payer.id}/cancel`)), [409, 'conflict'])
  const stale = await decide(console_, payer.id, 'void', { confirmed: false })
  assert.deepEqual(codeOf(stale), [403, 'confirmation_required'])
})

test('an organization whose plan is prepaid by now pays its invoice as before', async () => {
  const payer = await openInvoiced(console_, 80.12)
  await console_.postgres.database
    .updateTable('organizations')
    .set({ plan: 'free' })
    .where('id', '=', payer.organization.id)
    .execute()
  await console_.control.complete(payer.ref)
  await tell(console_, payer.ref)
  await awaitInvoice(console_, payer.organization.id, 'succeeded')
  const sums = { usage: -80.12, funds: 80.12, receivable: 0 }
  assert.deepEqual(await accountsOf(console_, payer.organization.id), sums)
})

test('a viewer sees the invoice, and not the page where it is paid', async () => {
  const payer = await openInvoiced(console_, 80.12)
  const { id: organizationId } = payer.organization
  const { as } = await console_.openPerson({ organizationId, role: 'viewer' })
  const path = `/organizations/${organizationId}/statements`
  const seen = await statementOf({
    get: async () => ask(console_.root, 'GET', path, { as }),
  })
  assert.deepEqual([seen.state, seen.url], ['issued', null])
})

test('whatever the provider fails at, there is one invoice with all its lines', async () => {
  const { control } = console_
  const steps = ['POST /v1/invoices', 'POST /v1/invoiceitems', 'POST /v1/invoices/in_', 'GET ']
  // The first of each is kept under its key, so that it fails for a day.
  const faults = [500, 503, 503].flatMap((status) =>
    steps.flatMap((at) => (['before', 'after'] as const).map((when) => ({ at, when, status }))),
  )
  const payer = await openDebtor(console_, 80.12)
  await control.script(faults)
  await issueFor(console_, payer)
  const { pool } = console_.postgres
  const isOpen = async () => {
    // time is not under test: whoever failed tries again at once, or an hour later
    await pool.query(
      `update payments set next_at = now(), failure = null,
         created_at = created_at - case when failure = 'key_spent' then interval '1 hour'
           else interval '0' end
       where organization_id = $1 and state = 'created'`,
      [payer.organization.id],
    )
    return (await invoiceOf(console_, payer.organization.id))?.state === 'open'
  }
  await waitUntil('the invoice', isOpen, 60_000)
  await control.script()
  const { id } = (await invoiceOf(console_, payer.organization.id))!
  const objects = await control.objects()
  const own = objects.filter(({ object, metadata }) => {
    const { payment_id: of } = (metadata ?? {}) as { payment_id?: string }
    return object === 'invoice' && of === id
  })
  // Drafts are left behind, which nobody can pay.
  assert.deepEqual(
    own.filter(({ status }) => status !== 'draft').map(({ status, total }) => [status, total]),
    [['open', 9_534]],
  )
})

test('a row that lost its reference takes up the invoice that the provider has', async () => {
  const payer = await openInvoiced(console_, 80.12)
  await console_.control.complete(payer.ref)
  // As a backup from before the invoice was issued.
  const { pool } = console_.postgres
  await pool.query(
    `update payments set state = 'created', ref = null, issued_at = null, money_ref = null,
       created_at = now() - interval '2 days', next_at = now() where id = $1`,
    [payer.id],
  )
  await pool.query(`delete from transfers where reference like '%' || $1`, [payer.id])
  const paid = await awaitInvoice(console_, payer.organization.id, 'succeeded')
  assert.equal(paid.ref, payer.ref)
  assert.deepEqual(await entriesOf(console_, payer.id), [
    ...ISSUED,
    'provider → receivable 95.34 payment:id',
  ])
})

test('a suspended organization pays its invoice, and starts no other payment', async () => {
  const payer = await openInvoiced(console_, 80.12)
  const { id } = payer.organization
  await console_.postgres.database
    .updateTable('organizations')
    .set({ suspended_at: new Date(), suspended_reason: 'Fraud?' })
    .where('id', '=', id)
    .execute()
  const started = await payer.post('/payments', { amount: { amount: '25.00' } })
  assert.deepEqual(codeOf(started), [403, 'organization_suspended'])
  const { url } = await statementOf(payer)
  assert.match(url ?? '', new RegExp(`/pay/${payer.ref}$`))
  await console_.control.complete(payer.ref)
  await payer.post(`/payments/${payer.id}/check`)
  await awaitInvoice(console_, id, 'succeeded')
  const { body } = await payer.get('/payments')
  assert.deepEqual(
    body.data.map(({ kind, state }) => [kind, state]),
    [['invoice', 'succeeded']],
  )
})

test('an invoice names its month in the list of payments, and no other has one', async () => {
  const payer = await openInvoiced(console_, 80.12)
  await payer.post('/payments', { amount: { amount: '25.00' } })
  const { body } = await payer.get('/payments')
  assert.deepEqual(
    body.data.map(({ kind, month }) => [kind, month]),
    [
      ['page', null],
      ['invoice', LAST_MONTH],
    ],
  )
})

test('the history of the balance has an invoice as a gain, and its end as a loss', async () => {
  const payer = await openInvoiced(console_, 80.12)
  await decide(console_, payer.id, 'void')
  await awaitInvoice(console_, payer.organization.id, 'expired')
  const { body } = await payer.get('/balance/transfers')
  const amountOf = ({ amount }: Record<string, unknown>) => (amount as { amount: string }).amount
  const shown = body.data.map((transfer) => [transfer['kind'], amountOf(transfer)])
  assert.deepEqual(shown, [
    ['invoice', '-80.12'],
    ['invoice', '80.12'],
  ])
})
