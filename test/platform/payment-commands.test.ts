import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  start,
  startPayingConsole,
  type PayingConsole,
} from '../harness/payments/paying-console.ts'
import { createCommands, type Commands } from '../harness/processes/command.ts'

let console_: PayingConsole
let commands: Commands

before(async () => {
  console_ = await startPayingConsole()
  commands = await createCommands()
})
after(async () => {
  await commands[Symbol.asyncDispose]()
  await console_[Symbol.asyncDispose]()
})

async function run(...args: string[]) {
  const environment = { HEADRACE_DATABASE_URL: console_.databaseUrl }
  const { code, stdout, stderr } = await commands.run(['payment', ...args], environment)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Record<string, unknown>
}

test('operators list payments, and filter them by organization and state', async () => {
  const [one, other] = [await console_.openPayer(), await console_.openPayer()]
  const [mine, theirs] = [await start(one), await start(other)]
  const ids = async (...args: string[]) => {
    const rows = (await run('list', '--json', ...args)) as unknown as { id: string }[]
    return rows.map(({ id }) => id)
  }
  assert.deepEqual(await ids('--organization', one.organization.id), [mine.id])
  assert.deepEqual((await ids()).toSorted(), [mine.id, theirs.id].toSorted())
  assert.deepEqual(await ids('--state', 'attention'), [])
})

test('a payment that nobody reads any more is read by a console when it is checked', async () => {
  const payer = await console_.openPayer()
  const { id, page } = await start(payer)
  await console_.postgres.database
    .updateTable('payments')
    .set({ state: 'expired', next_at: null })
    .where('id', '=', id)
    .execute()
  await console_.control.complete(page)
  const checked = await run('check', id, '--json')
  assert.deepEqual([checked['state'], checked['ref']], ['succeeded', page])
  assert.equal((await run('show', id, '--json'))['amount'], '25.00')
})

test('a payment that does not exist is named', async () => {
  const { code, stderr } = await commands.run(['payment', 'show', 'nonsense'], {
    HEADRACE_DATABASE_URL: console_.databaseUrl,
  })
  assert.equal(code, 1)
  assert.match(stderr, /payment "nonsense" not found/)
})
