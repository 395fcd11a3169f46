import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { after, test } from 'node:test'
import { createCommands } from '../../test/harness/processes/command.ts'
import { findOrganization } from '../store/tenants/organizations.ts'
import { openPostgres } from '../store/postgres/postgres.ts'
import { organizationKeys } from '../store/valkey/keys.ts'
import { openValkey } from '../store/valkey/valkey.ts'

const commands = await createCommands()
const postgres = openPostgres(commands.databaseUrl, { queryTimeoutMs: 30_000 })
const valkey = openValkey([commands.valkeyUrl])
await valkey.connected(2000)
const organizationId = String((await commands.answer('organization', 'create', 'acme'))['id'])

after(async () => {
  await valkey.call('DEL', [organizationKeys(organizationId).version])
  await valkey[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
  await commands[Symbol.asyncDispose]()
})

async function versions() {
  const known = await valkey.call('GET', [organizationKeys(organizationId).version])
  const { version } = await findOrganization(postgres.database, organizationId)
  return { known: Number(known), stored: version }
}

const PAID = ['--reason', 'paid by card', '--reference', 'invoice 7']

test('a grant shows the new balance, reaches Valkey, and is idempotent by reference', async () => {
  const args = ['balance', 'grant', 'acme', '12.50', ...PAID, '--by', 'Grace']
  const expected = {
    organization: 'acme',
    currency: 'USD',
    granted: '12.50',
    spent: '0.00',
    balance: '12.50',
    repeated: false,
    reference: 'invoice 7',
    made_by: 'Grace',
  }
  assert.deepEqual(await commands.answer(...args), expected)
  assert.deepEqual(await versions(), { known: 2, stored: 2 })
  assert.deepEqual(await commands.answer(...args), { ...expected, repeated: true })
  assert.deepEqual(await versions(), { known: 3, stored: 3 })
})

test('a grant may expire, and repeated with another expiry it is refused', async () => {
  const args = ['balance', 'grant', 'acme', '1', '--reason', 'trial', '--reference', 'trial']
  const until = (time: string) => [...args, '--expires', time]
  const made = await commands.answer(...until('2999-01-31'))
  assert.deepEqual([made['expires_at'], made['balance']], ['2999-01-31T00:00:00.000Z', '13.50'])
  assert.equal((await commands.answer(...until('2999-01-31T00:00Z')))['repeated'], true)
  for (const other of [until('2999-02-01'), args])
    assert.match((await commands.run(other)).stderr, /used for a transfer with another expiry/)
  const back = ['--reason', 'no trial', '--reference', 'no trial']
  assert.equal(
    (await commands.answer('balance', 'adjust', 'acme', '-1', ...back))['balance'],
    '12.50',
  )
})

test('an adjustment may make a balance negative, and the history shows it', async () => {
  const taken = await commands.answer(
    'balance',
    'adjust',
    'acme',
    '-20.000001',
    '--reason',
    'fraud',
  )
  assert.equal(taken['balance'], '-7.500001')
  assert.equal(taken['made_by'], userInfo().username)
  const shown = await commands.answer('balance', 'show', organizationId)
  assert.deepEqual(shown, {
    organization: 'acme',
    currency: 'USD',
    granted: '-7.500001',
    spent: '0.00',
    balance: '-7.500001',
    billing: 'none',
  })
  const { stdout } = await commands.run(['balance', 'history', 'acme'])
  const [head, first, , , second, ...rest] = stdout.trimEnd().split('\n')
  assert.match(head ?? '', /^id +made_at +kind +amount +made_by +reason +reference$/)
  assert.match(first ?? '', /adjustment +-20\.000001 +\S+ +fraud +\S+$/)
  assert.match(second ?? '', /grant +12\.50 +Grace +paid by card +invoice 7$/)
  assert.deepEqual(rest, [])
})

test('an invalid amount or text is rejected and changes nothing', async () => {
  const earlier = await versions()
  const why = ['--reason', 'x']
  const rejected: [string[], RegExp][] = [
    [['grant', 'acme', '1,50', ...why], /^headrace: the amount must be a number such as 12\.50/],
    [
      ['grant', 'acme', '0.0000001', ...why],
      /^headrace: the amount must be a number such as 12\.50/,
    ],
    [['grant', 'acme', '0', ...why], /^headrace: the amount must not be 0/],
    [
      ['grant', 'acme', '-1', ...why],
      /^headrace: the amount of a grant must be positive: use headrace/,
    ],
    [['grant', 'acme', '1', ...why, '--expires', '2020-01-01'], /Must be in the future/],
    [['grant', 'acme', '1', ...why, '--expires', '30d'], /Must be in the future/],
    [['adjust', 'acme', '1', ...why, '--expires', '2999-01-01'], /unknown option/],
    [['grant', 'acme', '1'], /--reason <text>.* not specified/],
    [['grant', 'acme', '1', '--reason', 'a\nb'], /Must have 1 to 200 characters/],
    [['grant', 'acme', '13', ...PAID], /^headrace: this reference was already used/],
    [['grant', 'acme', '1', ...why, '--reference', 'usage:7'], /must not begin with usage:/],
    [['grant', 'nobody', '1', ...why], /^headrace: organization "nobody" not found/],
  ]
  for (const [args, message] of rejected) {
    const { code, stderr } = await commands.run(['balance', ...args])
    assert.equal(code, 1)
    assert.match(stderr, message)
  }
  assert.deepEqual(await versions(), earlier)
})

test('a retried grant after a Valkey outage is made only once', async () => {
  const grant = ['balance', 'grant', 'acme', '10', '--reason', 'gift']
  const unavailable = { HEADRACE_VALKEY_URL: 'redis://127.0.0.1:1' }
  const { code, stderr } = await commands.run(grant, unavailable)
  assert.equal(code, 1)
  assert.match(stderr, /^headrace: the change is stored, but Valkey is unavailable/)
  const [, reference = ''] = /retry with --reference (\S+)\n/.exec(stderr) ?? []
  const again = await commands.answer(...grant, '--reference', reference)
  assert.deepEqual([again['repeated'], again['balance']], [true, '2.499999'])
})
