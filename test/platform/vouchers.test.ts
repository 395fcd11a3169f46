import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import type { CreatedVouchers, RedeemedVoucher } from '../../src/contract/payments/voucher.ts'
import { balanceOf } from '../../src/store/ledger/double-entry.ts'
import { findOrganization } from '../../src/store/tenants/organizations.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { createVoucherCode } from '../../src/tenancy/money/voucher-code.ts'
import { checkLedger } from '../harness/figures/check-ledger.ts'
import { ask, startConsole, type Answer, type Headers } from '../harness/processes/console.ts'

// Without payments, and with the settings that are shipped.
const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())
const { database } = console_.postgres
const operator = await console_.openPerson({ platformRole: 'operator' })

const create = (body: object, as = operator.as, headers: Headers = {}) =>
  ask(console_.root, 'POST', '/operator/vouchers', { as, body, headers })

const revoke = (id: string, as = operator.as) =>
  ask(console_.root, 'DELETE', `/operator/vouchers/${id}`, { as })

const redeem = (organizationId: string, code: string, as: Headers) =>
  ask(console_.root, 'POST', `/organizations/${organizationId}/vouchers/redeem`, {
    as,
    body: { code },
  })

async function make(more: object = {}): Promise<CreatedVouchers['data'][number]> {
  const { status, body } = await create({ amount: { amount: '25.00' }, ...more })
  assert.equal(status, 201, JSON.stringify(body))
  return (body as unknown as CreatedVouchers).data[0]!
}

async function openOwned(role: 'owner' | 'admin' = 'owner') {
  const { id } = await console_.openOrganization('ample')
  const person = await console_.openPerson({ organizationId: id, role })
  return { id, ...person, redeem: (code: string) => redeem(id, code, person.as) }
}

function codeOf({ status, body }: Answer): [number, string] {
  return [status, body.error.code]
}

async function units(id: string): Promise<number> {
  return (await balanceOf(database, id)).balance / 1_000_000
}

/** Events of the audit log about a voucher. */
async function eventsOf(voucher: string) {
  return database
    .selectFrom('audit_events')
    .select(['action', 'organization_id', 'actor_label', 'changes'])
    .where('target_id', '=', voucher)
    .orderBy('id')
    .execute()
}

const INVALID = [400, 'invalid_voucher']

test('20 codes of one kind are made at once, shown once, and stored nowhere', async () => {
  const body = { amount: { amount: '25.00' }, count: 20, organizations_max: 3, note: 'fair' }
  const { status, body: made } = await create(body)
  assert.equal(status, 201)
  const { data } = made as unknown as CreatedVouchers
  assert.equal(new Set(data.map(({ code }) => code)).size, 20)
  const facts = { state: 'open', organizations_max: 3, redeemed: 0, note: 'fair' }
  for (const voucher of data)
    assert.deepEqual({ ...voucher, ...facts, made_by: operator.email }, voucher)
  const support = await console_.openPerson({ platformRole: 'support' })
  const pages = async (rest = ''): Promise<string[]> => {
    const path = `/operator/vouchers?limit=7${rest}`
    const page = await ask(console_.root, 'GET', path, { as: support.as })
    assert.ok(page.body.data.every((voucher) => !('code' in voucher)))
    const ids = page.body.data.map(({ id }) => id)
    return page.body.next === null ? ids : [...ids, ...(await pages(`&after=${page.body.next}`))]
  }
  const ids = data.map(({ id }) => id)
  assert.deepEqual((await pages()).slice(0, 20), ids.toReversed())
  const [event] = await eventsOf(ids[0]!)
  assert.deepEqual([event!.action, event!.organization_id], ['voucher.create', null])
  assert.deepEqual(event!.changes['vouchers'], [null, ids])
  const { rows } = await sql<{ kept: string }>`
    select vouchers::text as kept from vouchers
    union all select audit_events::text from audit_events`.execute(database)
  const kept = rows.map((row) => row.kept).join()
  for (const { code } of data)
    for (const text of [code, code.replaceAll('-', '')]) assert.ok(!kept.includes(text), code)
})

test('what a voucher is must be within its bounds', async () => {
  const amount = { amount: '25.00' }
  for (const wrong of [
    { amount, count: 101 },
    { amount, count: 0 },
    { amount, organizations_max: 1_001 },
    { amount, credit_days: 0 },
    { amount, credit_days: 3_651 },
    { amount, expires_at: '2020-01-01T00:00:00Z' },
    { amount, note: 'two\nlines' },
    { amount: { amount: '0' } },
    { amount: { amount: '-5' } },
    { amount: { amount: '1000000000.01' } },
    { amount: { amount: '5', currency: 'XXX' } },
  ])
    assert.deepEqual(codeOf(await create(wrong)), [400, 'invalid_value'], JSON.stringify(wrong))
})

test('vouchers are made and revoked by operators who confirmed that it is them', async () => {
  const { id } = await make()
  const support = await console_.openPerson({ platformRole: 'support' })
  const late = await console_.openPerson({ platformRole: 'operator', confirmed: false })
  for (const [as, code] of [
    [support.as, 'role_required'],
    [late.as, 'confirmation_required'],
  ] as const) {
    assert.deepEqual(codeOf(await create({ amount: { amount: '1' } }, as)), [403, code])
    assert.deepEqual(codeOf(await revoke(id, as)), [403, code])
  }
})

test('a voucher is added to the balance once, and Valkey knows before the answer', async () => {
  const { id, email, redeem: enter } = await openOwned('admin')
  const voucher = await make()
  const typed = ` ${voucher.code.toLowerCase().replaceAll('-', ' ')} `
  const { status, body } = await enter(typed)
  assert.equal(status, 200, JSON.stringify(body))
  const redeemed = body as unknown as RedeemedVoucher
  assert.deepEqual(
    [redeemed.amount.amount, redeemed.credit_expires_at, redeemed.repeated],
    ['25.00', null, false],
  )
  assert.equal(await units(id), 25)
  const known = await console_.environment.valkey.call('GET', [organizationKeys(id).version])
  assert.equal(Number(known), (await findOrganization(database, id)).version)
  const again = await enter(voucher.code)
  assert.deepEqual(again.body, { ...body, repeated: true })
  assert.equal(await units(id), 25)
  const person = await console_.openPerson({ organizationId: id, role: 'viewer' })
  const path = `/organizations/${id}/balance/transfers`
  const { data } = (await ask(console_.root, 'GET', path, { as: person.as })).body
  const { kind, reference, made_by, reason } = data[0]!
  assert.deepEqual(
    [data.length, kind, made_by, reason, reference],
    [1, 'voucher', email, 'redeemed', `voucher:${voucher.id}:${id}`],
  )
  const events = (await eventsOf(voucher.id)).map((each) => [each.action, each.organization_id])
  assert.deepEqual(events, [
    ['voucher.create', null],
    ['voucher.redeem', id],
  ])
  assert.deepEqual(await checkLedger(database), { sum: 0, wrong: [] })
})

test('50 organizations redeem a voucher for 3 at once: exactly 3 are credited', async () => {
  const voucher = await make({ organizations_max: 3 })
  const organizations = await Promise.all(Array.from({ length: 50 }, () => openOwned()))
  const answers = await Promise.all(organizations.map((each) => each.redeem(voucher.code)))
  const withStatus = (wanted: number) => answers.filter(({ status }) => status === wanted).length
  assert.deepEqual([withStatus(200), withStatus(400)], [3, 47])
  const balances = await Promise.all(organizations.map(({ id }) => units(id)))
  assert.equal(
    balances.reduce((sum, each) => sum + each, 0),
    75,
  )
  assert.deepEqual(await checkLedger(database), { sum: 0, wrong: [] })
})

test('unknown, used up, expired and revoked codes get one answer', async () => {
  const first = await openOwned()
  const [used, revoked, expired] = [await make(), await make(), await make()]
  assert.equal((await first.redeem(used.code)).status, 200)
  assert.equal((await revoke(revoked.id)).status, 204)
  assert.equal((await revoke(revoked.id)).status, 204)
  await sql`update vouchers set expires_at = now() where id = ${expired.id}`.execute(database)
  const codes = [createVoucherCode().code, used.code, revoked.code, expired.code, 'no code']
  const second = await openOwned()
  const answers = []
  for (const code of codes) answers.push(await second.redeem(code))
  assert.deepEqual(codeOf(answers[0]!), INVALID)
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal(await units(second.id), 0)
  // Whoever has redeemed it learns so, and keeps the money.
  await revoke(used.id)
  assert.deepEqual((await first.redeem(used.code)).body['repeated'], true)
  assert.equal(await units(first.id), 25)
  const list = await ask(console_.root, 'GET', '/operator/vouchers?limit=3', { as: operator.as })
  assert.deepEqual(
    list.body.data.map(({ state }) => state),
    ['expired', 'revoked', 'revoked'],
  )
})

test('429: after ten wrong codes an account and an organization wait for an hour', async () => {
  const { code } = await make({ organizations_max: 9 })
  const first = await openOwned()
  const wrong = () => createVoucherCode().code
  for (let tries = 0; tries < 9; tries += 1)
    assert.deepEqual(codeOf(await first.redeem(wrong())), INVALID)
  // Neither what is no code nor a right one counts.
  for (let tries = 0; tries < 3; tries += 1) {
    assert.deepEqual(codeOf(await first.redeem('wrong')), INVALID)
    assert.equal((await first.redeem(code)).status, 200)
  }
  assert.deepEqual(codeOf(await first.redeem(wrong())), INVALID)
  const refused = await first.redeem(code)
  assert.deepEqual(codeOf(refused), [429, 'too_many_attempts'])
  assert.ok(Math.abs(Number(refused.headers['retry-after']) - 3_600) < 60)
  // Neither another account nor another organization helps.
  const colleague = await console_.openPerson({ organizationId: first.id, role: 'owner' })
  assert.equal((await redeem(first.id, code, colleague.as)).status, 429)
  const other = await openOwned()
  await sql`insert into memberships (organization_id, account_id, role)
    values (${other.id}, ${first.accountId}, 'owner')`.execute(database)
  assert.equal((await redeem(other.id, code, first.as)).status, 429)
  assert.equal((await other.redeem(code)).status, 200)
})

test('only owners and admins redeem, and only as people', async () => {
  const { id, accountId } = await openOwned()
  const { code } = await make()
  for (const role of ['member', 'viewer'] as const) {
    const person = await console_.openPerson({ organizationId: id, role })
    assert.deepEqual(codeOf(await redeem(id, code, person.as)), [403, 'role_required'])
  }
  const scopes = ['payments:read', 'billing:write', 'organization:write']
  const key = await console_.openManagementKey({ createdBy: accountId, organizationId: id, scopes })
  assert.deepEqual(codeOf(await redeem(id, code, key)), [403, 'scope_required'])
  assert.equal((await redeem(id, code, operator.as)).status, 404)
  assert.equal(await units(id), 0)
})

test('a suspended organization redeems nothing, and a deleted one is not there', async () => {
  const { id, redeem: enter } = await openOwned()
  const { code } = await make()
  const path = `/operator/organizations/${id}`
  const suspend = (suspension: object | null) =>
    ask(console_.root, 'PATCH', path, { as: operator.as, body: { suspension } })
  await suspend({ reason: 'Spam.' })
  assert.deepEqual(codeOf(await enter(code)), [403, 'organization_suspended'])
  await suspend(null)
  assert.equal((await ask(console_.root, 'DELETE', path, { as: operator.as })).status, 204)
  assert.deepEqual(codeOf(await enter(code)), [404, 'not_found'])
  assert.equal((await (await openOwned()).redeem(code)).status, 200)
})

test('a voucher stays valid when its maker is no operator any more, and is forgotten', async () => {
  const maker = await console_.openPerson({ platformRole: 'operator' })
  const made = await create({ amount: { amount: '3' }, count: 2 }, maker.as)
  const [one, two] = (made.body as unknown as CreatedVouchers).data
  const path = `/operator/accounts/${maker.accountId}`
  await ask(console_.root, 'PATCH', path, { as: operator.as, body: { platform_role: null } })
  assert.equal((await (await openOwned()).redeem(one!.code)).status, 200)
  assert.equal((await ask(console_.root, 'DELETE', path, { as: operator.as })).status, 204)
  assert.equal((await (await openOwned()).redeem(two!.code)).status, 200)
  const list = await ask(console_.root, 'GET', '/operator/vouchers?limit=2', { as: operator.as })
  for (const { made_by: by } of list.body.data) assert.match(String(by), /^deleted-/)
})

test('a credit with days expires so many days after it was redeemed', async () => {
  const { id, as, redeem: enter } = await openOwned()
  const { code } = await make({ credit_days: 90, expires_at: '2999-01-01T00:00:00Z' })
  const redeemed = (await enter(code)).body as unknown as RedeemedVoucher
  const until = Date.parse(redeemed.credit_expires_at!)
  const days = (until - Date.parse(redeemed.redeemed_at)) / 86_400_000
  assert.ok(Math.abs(days - 90) < 1e-6, String(days))
  const { body } = await ask(console_.root, 'GET', `/organizations/${id}/credits`, { as })
  assert.deepEqual(
    body.data.map((credit) => [credit.id, credit['expires_at']]),
    [[redeemed.transfer_id, redeemed.credit_expires_at]],
  )
})

test('a repeated request makes no second vouchers, and shows no codes again', async () => {
  const key = { 'idempotency-key': crypto.randomUUID() }
  const body = { amount: { amount: '7' }, count: 2 }
  const [first] = ((await create(body, operator.as, key)).body as unknown as CreatedVouchers).data
  const again = await create(body, operator.as, key)
  assert.deepEqual(codeOf(again), [409, 'already_created'])
  assert.ok(again.text.includes(first!.id) && !again.text.includes(first!.code))
})

test('nobody makes a transfer that looks like a voucher', async () => {
  const { id } = await console_.openOrganization()
  const answer = await ask(console_.root, 'POST', `/operator/organizations/${id}/transfers`, {
    as: operator.as,
    body: { kind: 'grant', amount: { amount: '1' }, reason: 'x', reference: `voucher:${id}` },
  })
  assert.equal(answer.status, 409)
})
