import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLimits } from '../../src/store/limits/limits.ts'
import { ask, startConsole, type Answer } from '../harness/processes/console.ts'
import { askOf } from '../harness/load/limits-asks.ts'
import { openKey } from '../harness/seed/tenants.ts'

const console_ = await startConsole((config) => {
  const ample = config.plans['ample']!
  const first = config.models[0]!
  return {
    ...config,
    models: [first, { ...first, id: 'example/other' }],
    plans: {
      ...config.plans,
      ample,
      narrow: {
        ...ample,
        models: [first.id],
        credentials: ['api_key'],
        billing: 'prepaid',
        prices: { [first.id]: { input: 1, output: 2 } },
        limits: { ...ample.limits, requests_per_minute: 10, requests_per_day: 3 },
      },
    },
  }
})
const model = console_.config.models[0]!.id
const operator = await console_.openPerson({ platformRole: 'operator' })
const support = await console_.openPerson({ platformRole: 'support' })
after(() => console_[Symbol.asyncDispose]())

async function open(plan = 'ample') {
  const organization = await console_.openOrganization(plan)
  const path = `/operator/organizations/${organization.id}`
  const send = (method: string, below = '', body?: object, headers = {}, as = operator.as) =>
    ask(console_.root, method, `${path}${below}`, { as, headers, ...(body && { body }) })
  return { ...organization, path, send }
}

async function rowOf(id: string) {
  return console_.postgres.database
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

test('an operator creates an organization with an owner, and everybody finds it', async () => {
  const owner = await console_.openPerson()
  const slug = `new-${crypto.randomUUID().slice(0, 8)}`
  const body = { slug, name: 'Neu', plan: 'narrow', owner: owner.email }
  const path = '/operator/organizations'
  const created = await ask(console_.root, 'POST', path, { as: operator.as, body })
  assert.equal(created.status, 201, created.text)
  const shown = await ask(console_.root, 'GET', `${path}/${slug}`, { as: support.as })
  assert.equal(shown.status, 200, shown.text)
  const { organization, limits_in_force: limits } = shown.body as unknown as {
    organization: { name: string; plan: string }
    limits_in_force: object[]
  }
  assert.deepEqual([organization.name, organization.plan], ['Neu', 'narrow'])
  assert.deepEqual(limits[0], { name: 'requests_per_minute', limit: 10, source: 'plan' })
  const members = await ask(console_.root, 'GET', `${path}/${slug}/members`, { as: operator.as })
  assert.deepEqual(
    members.body.data.map(({ id, role }) => [id, role]),
    [[owner.accountId, 'owner']],
  )
  const unknown = { ...body, slug: `${slug}-2`, plan: 'gold' }
  const refused = await ask(console_.root, 'POST', path, { as: operator.as, body: unknown })
  assert.equal(refused.body.error.code, 'plan_unknown')
})

test('a change takes effect, is audited for the organization, and raises its version', async () => {
  const { id, send } = await open()
  const earlier = await rowOf(id)
  const body = { plan: 'narrow', billing_state: 'conflict', limits: { tokens_per_day: 5 } }
  const changed = await send('PATCH', '', body)
  assert.equal(changed.status, 200, changed.text)
  const row = await rowOf(id)
  assert.deepEqual([row.plan, row.billing_state, row.tokens_per_day], ['narrow', 'conflict', 5])
  assert.equal(row.version, earlier.version + 1)
  const removed = await send('PATCH', '', { limits: { tokens_per_day: null } })
  assert.equal((removed.body['limits'] as { tokens_per_day: null }).tokens_per_day, null)
  const events = await console_.postgres.database
    .selectFrom('audit_events')
    .select(['action', 'changes', 'actor_id'])
    .where('organization_id', '=', id)
    .orderBy('id')
    .execute()
  assert.deepEqual(events[0], {
    action: 'organization.change',
    actor_id: operator.accountId,
    changes: {
      plan: ['ample', 'narrow'],
      billing_state: ['ok', 'conflict'],
      tokens_per_day: [null, 5],
    },
  })
})

test('of two operators who read the same limits only the first one changes them', async () => {
  const { id, send } = await open()
  const { headers } = await send('GET')
  const ifMatch = { 'if-match': headers['etag'] ?? '' }
  const first = await send('PATCH', '', { limits: { requests_per_day: 1 } }, ifMatch)
  assert.equal(first.status, 200, first.text)
  const second = await send('PATCH', '', { limits: { requests_per_day: 2 } }, ifMatch)
  assert.equal(second.status, 412)
  assert.equal((await rowOf(id)).requests_per_day, 1)
  const again = { 'if-match': first.headers['etag'] ?? '' }
  assert.equal((await send('PATCH', '', { name: 'Third' }, again)).status, 200)
})

type Preview = {
  readonly limits: {
    readonly name: string
    readonly before: object
    readonly after: object
    readonly used: number | null
    readonly remaining_after: number | null
  }[]
  readonly models: { readonly lost: string[]; readonly gained: string[] }
  readonly repriced: string[]
  readonly credentials: { readonly lost: string[] }
  readonly billing: object
  readonly keys: object
}

function previewOf(answer: Answer): Preview {
  assert.equal(answer.status, 200, answer.text)
  return answer.body as unknown as Preview
}

test('a preview shows limits, models, prices and keys, and changes nothing', async () => {
  const { id, projectId, send } = await open()
  const { database } = console_.postgres
  const other = await openKey(database, projectId)
  await openKey(database, projectId)
  const setModels = { models: ['example/other'] }
  await database.updateTable('api_keys').set(setModels).where('id', '=', other.id).execute()
  const earlier = await rowOf(id)
  const body = { plan: 'narrow', limits: { tokens_per_minute: 7 } }
  const preview = previewOf(await send('POST', '/preview', body, {}, support.as))
  assert.deepEqual(preview.models, { lost: ['example/other'], gained: [] })
  assert.deepEqual(preview.repriced, [model])
  assert.deepEqual(preview.credentials.lost, ['playground'])
  assert.deepEqual(preview.billing, { before: 'none', after: 'prepaid' })
  assert.deepEqual(preview.keys, { count: 2, more: false, without_models: 1 })
  const plenty = 1_000_000_000
  assert.deepEqual(preview.limits[0], {
    name: 'requests_per_minute',
    before: { limit: plenty, source: 'plan' },
    after: { limit: 10, source: 'plan' },
    used: 0,
    remaining_after: 10,
  })
  assert.deepEqual(preview.limits[2]?.after, { limit: 7, source: 'override' })
  assert.deepEqual(await rowOf(id), earlier)
  const events = database.selectFrom('audit_events').where('organization_id', '=', id)
  assert.deepEqual(await events.select('id').execute(), [])
})

test('a preview shows what running traffic leaves of the new limits', async () => {
  const { id, send } = await open()
  const { version } = await rowOf(id)
  await using limits = createLimits(console_.environment.valkey)
  const asked = { organizationId: id, version, fresh: true, tokens: 40 }
  for (let count = 0; count < 4; count += 1) {
    const decision = await limits.admit(askOf({ ...asked, limits: ampleLimits() }))
    assert.equal(decision.kind, 'admitted')
  }
  const preview = previewOf(await send('POST', '/preview', { plan: 'narrow' }))
  const ofDay = preview.limits.find(({ name }) => name === 'requests_per_day')
  assert.deepEqual([ofDay?.used, ofDay?.remaining_after], [4, 0])
  const tokens = preview.limits.find(({ name }) => name === 'tokens_per_day')
  assert.equal(tokens?.used, 160)
})

function ampleLimits() {
  const { limits } = console_.config.plans['ample']!
  return {
    requestsPerMinute: limits.requests_per_minute,
    requestsPerDay: limits.requests_per_day,
    tokensPerMinute: limits.tokens_per_minute,
    tokensPerDay: limits.tokens_per_day,
  }
}

test('a transfer is made once for each reference, with its author, and is listed', async () => {
  const { send } = await open()
  const reference = crypto.randomUUID()
  const body = { kind: 'grant', amount: { amount: '12.50' }, reason: 'invoice', reference }
  const made = await Promise.all([1, 2, 3].map(() => send('POST', '/transfers', body)))
  assert.deepEqual(
    made.map(({ status }) => status),
    [200, 200, 200],
    made[0]?.text,
  )
  assert.equal(made.filter(({ body: answer }) => answer['repeated'] === false).length, 1)
  const deducted = {
    ...body,
    kind: 'adjustment',
    amount: { amount: '-2' },
    reference: `${reference}b`,
  }
  const adjusted = await send('POST', '/transfers', deducted)
  const { balance } = adjusted.body['balance'] as { balance: { amount: string } }
  assert.equal(balance.amount, '10.50')
  const listed = await send('GET', '/transfers', undefined, {}, support.as)
  const shown = listed.body.data.map((each) => [
    (each['amount'] as { amount: string }).amount,
    each['made_by'],
  ])
  assert.deepEqual(shown, [
    ['-2.00', operator.email],
    ['12.50', operator.email],
  ])
  const other = await send('POST', '/transfers', { ...body, amount: { amount: '13' } })
  assert.equal(other.status, 409)
})

test('malformed transfers are refused by name, and nothing is written', async () => {
  const { id, send } = await open()
  const body = { kind: 'grant', amount: { amount: '1' }, reason: 'x', reference: 'y' }
  for (const [changed, param] of [
    [{ amount: { amount: '0' } }, 'amount.amount'],
    [{ amount: { amount: '-1' } }, 'amount.amount'],
    [{ amount: { amount: '1e3' } }, 'amount.amount'],
    [{ amount: { amount: '1', currency: 'XYZ' } }, 'amount.currency'],
    [{ reason: 'a\nb' }, 'reason'],
    [{ kind: 'usage' }, 'kind'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: 'soon' }, 'expires_at'],
    [{ expires_at: '2999-01-01T00:00:00Z', kind: 'adjustment' }, 'expires_at'],
  ] as const) {
    const answer = await send('POST', '/transfers', { ...body, ...changed })
    assert.deepEqual([answer.status, answer.body.error.param], [400, param])
  }
  const stale = await console_.openPerson({ platformRole: 'operator', confirmed: false })
  const unconfirmed = await send('POST', '/transfers', body, {}, stale.as)
  assert.equal(unconfirmed.body.error.code, 'confirmation_required')
  const refused = await send('POST', '/transfers', body, {}, support.as)
  assert.equal(refused.body.error.code, 'role_required')
  assert.equal((await send('GET', '/transfers')).body.data.length, 0)
  assert.equal((await rowOf(id)).version, 1)
})

test('pages of a search show every organization once, though names repeat', async () => {
  const name = `Same ${crypto.randomUUID().slice(0, 8)}`
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) {
    const { id, send } = await open()
    await send('PATCH', '', { name })
    ids.push(id)
  }
  const seen: string[] = []
  let rest = ''
  do {
    const term = encodeURIComponent(name.slice(2).toUpperCase())
    const path = `/operator/organizations?q=${term}&limit=2${rest}`
    const page = await ask(console_.root, 'GET', path, { as: support.as })
    assert.equal(page.status, 200, page.text)
    seen.push(...page.body.data.map(({ id }) => id))
    rest = page.body.next === null ? '' : `&after=${page.body.next}`
  } while (rest !== '')
  assert.deepEqual(seen, ids.toSorted().toReversed())
  const find = async (text: string) => {
    const path = `/operator/organizations?q=${encodeURIComponent(text)}`
    return (await ask(console_.root, 'GET', path, { as: support.as })).body.data
  }
  const { id, slug } = await rowOf(ids[0]!)
  for (const text of [id, slug, slug.slice(0, -1).toUpperCase(), slug.slice(1)])
    assert.ok(
      (await find(text)).some((found) => found.id === id),
      text,
    )
  assert.deepEqual(await find('%'), [])
})
