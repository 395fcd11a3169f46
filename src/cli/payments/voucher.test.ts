import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCommands } from '../../../test/harness/processes/command.ts'
import { hashVoucherCode } from '../../tenancy/money/voucher-code.ts'

const commands = await createCommands()
after(() => commands[Symbol.asyncDispose]())

type Shown = Readonly<Record<string, unknown>>

async function list(): Promise<Shown[]> {
  const { stdout } = await commands.run(['voucher', 'list', '--json'])
  return JSON.parse(stdout) as Shown[]
}

test('vouchers are made with their codes, listed without them, and revoked', async () => {
  const kind = ['--count', '2', '--organizations', '5', '--note', 'fair', '--by', 'Grace']
  const ends = ['--redeem-before', '2999-01-31', '--credit-days', '90']
  const args = ['voucher', 'create', '--amount', '25', ...kind, ...ends, '--json']
  const { stdout, code } = await commands.run(args)
  assert.equal(code, 0)
  const made = JSON.parse(stdout) as Shown[]
  for (const voucher of made) assert.ok(hashVoucherCode(String(voucher['code'])) !== undefined)
  const [first] = made
  const facts = { amount: '25.00', currency: 'USD', redeemed: '0 of 5', credit_days: 90 }
  const more = { expires_at: '2999-01-31T00:00:00.000Z', note: 'fair', made_by: 'Grace' }
  assert.deepEqual({ ...first, ...facts, ...more, state: 'open' }, first)
  const { code: _code, ...shown } = first!
  assert.deepEqual((await list()).at(-1), shown)
  assert.equal((await commands.run(['voucher', 'revoke', String(first!['id'])])).code, 0)
  assert.deepEqual(
    (await list()).map(({ state }) => state),
    ['open', 'revoked'],
  )
})

test('a table has one line for each code', async () => {
  const { stdout } = await commands.run(['voucher', 'create', '--amount', '5'])
  const [head, line, ...rest] = stdout.trimEnd().split('\n')
  assert.match(head ?? '', /^code +id +amount +currency +expires_at$/)
  assert.match(line ?? '', /^[0-9A-Z]{4}(-[0-9A-Z]{4}){3} {2}[0-9a-f-]{36} {2}5\.00 +USD +-$/)
  assert.deepEqual(rest, [])
})

test('what is wrong is said', async () => {
  const create = ['voucher', 'create', '--amount']
  for (const [args, message] of [
    [[...create, 'much'], /must be an amount/],
    [[...create, '0'], /must be more than 0/],
    [[...create, '5', '--count', '101'], /from 1 to 100/],
    [[...create, '5', '--redeem-before', '2020-01-01'], /in the future/],
    [['voucher', 'revoke', 'nonsense'], /voucher not found/],
  ] as const) {
    const { code, stderr } = await commands.run([...args])
    assert.notEqual(code, 0)
    assert.match(stderr, message)
  }
})
