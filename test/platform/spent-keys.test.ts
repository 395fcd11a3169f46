import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import { codeOf, start, type PayingConsole } from '../harness/payments/paying-console.ts'
import {
  awaitState,
  openLowSaver,
  startDue,
  startTopUpConsole,
  type Saver,
} from '../harness/payments/top-ups.ts'

let console_: PayingConsole

before(async () => {
  console_ = await startTopUpConsole()
})
after(async () => console_[Symbol.asyncDispose]())

const AMOUNT = { amount: { amount: '25.00' } }

/** What the provider made for a payment, by their states. */
async function madeFor(id: string, wanted: string): Promise<unknown[]> {
  const objects = await console_.control.objects()
  const own = objects.filter(({ object, metadata }) => {
    const { payment_id: of } = (metadata ?? {}) as { payment_id?: string }
    return object === wanted && of === id
  })
  return own.map(({ status }) => status)
}

for (const when of ['before', 'after'] as const)
  test(`a page at which the provider fails ${when} it is made ends at once`, async () => {
    const payer = await console_.openPayer()
    const at = 'POST /v1/checkout/sessions'
    await console_.control.script([{ at, when, status: 500 }])
    assert.deepEqual(codeOf(await payer.post('/payments', AMOUNT)), [503, 'service_unavailable'])
    const [payment] = (await payer.get('/payments')).body.data
    await awaitState(console_, payment!.id, 'expired')
    const made = await madeFor(payment!.id, 'checkout.session')
    assert.deepEqual(made, when === 'before' ? [] : ['expired'])
    await start(payer)
  })

test('an organization pays although the provider fails at making it a customer', async () => {
  const payer = await console_.openPayer()
  await console_.control.script([{ at: 'POST /v1/customers', when: 'after', status: 500 }])
  await start(payer)
})

const PAY = 'POST /v1/invoices/'
/** Finalizing is the first request to an invoice, and is done; its answer is lost. */
const FINALIZED = { at: PAY, when: 'after' } as const

async function afterwards(saver: Saver) {
  const { body } = await saver.get('/automatic-top-up')
  const { balance } = await balanceOf(console_.postgres.database, saver.organization.id)
  const { rows } = await console_.postgres.pool.query<{ failure: string }>(
    `select facts ->> 'failure' as failure from queued_emails
     where organization_id = $1 and kind = 'top_up_failed'`,
    [saver.organization.id],
  )
  const emails = rows.map(({ failure }) => failure)
  const waits = body['next_attempt_at'] !== null
  return { state: body['state'], waits, balance: balance / 1_000_000, emails }
}

for (const [step, faults] of [
  ['writing its invoice', [{ at: 'POST /v1/invoices', when: 'before' }]],
  ['an invoice that it has written', [{ at: 'POST /v1/invoices', when: 'after' }]],
  ['its line', [{ at: 'POST /v1/invoiceitems', when: 'before' }]],
  ['finalizing it', [{ at: PAY, when: 'before' }]],
  ['an invoice that it has finalized', [{ at: PAY, when: 'after' }]],
  ['paying it', [FINALIZED, { at: PAY, when: 'before' }]],
] as const)
  test(`a charge at which the provider fails ends, and is tried later: ${step}`, async () => {
    const saver = await openLowSaver(console_)
    const { charged } = await console_.control.sums()
    const [last, ...first] = [...faults].toReversed()
    await console_.control.script([...first, { ...last!, status: 500 }])
    const [charge] = await startDue(console_, saver)
    const { failure } = await awaitState(console_, charge, 'failed')
    assert.equal(failure, 'provider_error')
    assert.deepEqual(await afterwards(saver), {
      state: 'on',
      waits: true,
      balance: 4,
      emails: ['provider_error'],
    })
    const left = (await madeFor(charge!, 'invoice')).filter((status) => status !== 'void')
    assert.deepEqual([left, (await console_.control.sums()).charged], [[], charged])
    assert.deepEqual(await startDue(console_, saver), [charge])
  })

test('a charge that was paid is credited, whatever the provider answered', async () => {
  const saver = await openLowSaver(console_)
  const { charged } = await console_.control.sums()
  await console_.control.script([FINALIZED, { at: PAY, when: 'after', status: 500 }])
  const [charge] = await startDue(console_, saver)
  await awaitState(console_, charge, 'succeeded')
  assert.deepEqual(await afterwards(saver), { state: 'on', waits: false, balance: 29, emails: [] })
  assert.equal((await console_.control.sums()).charged, charged + 2_500)
})
