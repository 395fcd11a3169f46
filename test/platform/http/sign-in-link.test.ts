import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createResetLink } from '../../../src/platform/sign-in/accounts/password-links.ts'
import { createSignInLink } from '../../../src/platform/sign-in/sessions/sign-in-link.ts'
import { ask, PUBLIC_URL, startConsole } from '../../harness/processes/console.ts'
import { browserOf, STRANGER, tokenIn } from '../../harness/clients/sign-in.ts'

const SYSTEM = { kind: 'system', name: 'test', request: null } as const

const console_ = await startConsole((config) => ({
  ...config,
  console: { ...config.console, require_second_factor: 'none' },
}))
after(() => console_[Symbol.asyncDispose]())

async function linkFor(account: string): Promise<string> {
  return createSignInLink(console_.environment, SYSTEM, { account })
}

function signInBy(token: string) {
  return ask(console_.root, 'POST', '/sessions/link', { as: STRANGER, body: { token } })
}

test('a link signs its operator in, once', async () => {
  const { email } = await console_.openPerson({ platformRole: 'operator' })
  const link = await linkFor(email)
  assert.ok(link.startsWith(`${PUBLIC_URL}/sign-in#token=`))
  const answer = await signInBy(tokenIn(link))
  assert.deepEqual([answer.status, answer.body['second_factor']], [201, 'complete'])
  assert.ok(!answer.text.includes(tokenIn(link)))
  const as = browserOf(answer)
  assert.equal((await ask(console_.root, 'GET', '/operator/overview', { as })).status, 200)
  const again = await signInBy(tokenIn(link))
  assert.deepEqual([again.status, again.body.error.param], [400, 'token'])
})

test('of ten attempts at the same time one signs in', async () => {
  const { email } = await console_.openPerson()
  const token = tokenIn(await linkFor(email))
  const answers = await Promise.all(Array.from({ length: 10 }, () => signInBy(token)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
})

test('a link works for its purpose only: the password, or signing in', async () => {
  const { email } = await console_.openPerson()
  const reset = await createResetLink(console_.environment, SYSTEM, { account: email })
  assert.equal((await signInBy(tokenIn(reset.link ?? ''))).status, 400)
  const body = { token: tokenIn(await linkFor(email)), password: 'seven-lamps-and-a-boat' }
  const set = await ask(console_.root, 'POST', '/password-resets/complete', { as: STRANGER, body })
  assert.equal(set.status, 400)
})

test('a restricted account is not signed in, and the link stays unused', async () => {
  const { email, accountId } = await console_.openPerson()
  const token = tokenIn(await linkFor(email))
  const setState = (state: 'active' | 'restricted') =>
    console_.postgres.database
      .updateTable('accounts')
      .set({ state })
      .where('id', '=', accountId)
      .execute()
  await setState('restricted')
  assert.equal((await signInBy(token)).body.error.code, 'account_restricted')
  await setState('active')
  assert.equal((await signInBy(token)).status, 201)
})
