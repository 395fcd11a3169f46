import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { changeAccount } from '../../src/platform/sign-in/accounts/change-account.ts'
import { openConsoleOrganization } from '../harness/clients/console-members.ts'
import { startConsole } from '../harness/processes/console.ts'

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

const SHELL = { kind: 'operator_shell', name: 'test', request: null } as const
const ROUNDS = 25
const DAY_MS = 86_400_000

test('changes by a person and of that person at the same time never deadlock', async () => {
  const { owner } = await openConsoleOrganization(console_)
  const first = await owner.ask('POST', '/keys', { body: { name: 'rotated' } })
  let key = first.body.id
  const expires_at = new Date(Date.now() + DAY_MS).toISOString()
  for (let round = 0; round < ROUNDS; round += 1) {
    const email = `${crypto.randomUUID()}@example.com`
    const change = () =>
      changeAccount(console_.environment, SHELL, { account: owner.accountId, registered: true })
    const [rotated, ...others] = await Promise.all([
      owner.ask('POST', `/keys/${key}/rotate`, { body: {} }),
      owner.ask('POST', '/keys', { body: { name: 'another' } }),
      owner.ask('POST', '/invitations', { body: { email } }),
      owner.ask('POST', '/management-keys', {
        body: { name: 'another', scopes: ['keys:read'], expires_at },
      }),
      owner.ask('POST', '/projects', { body: { name: email } }),
      change(),
      change(),
      change(),
    ])
    for (const answer of [rotated, ...others.slice(0, 4)] as { status: number; text: string }[])
      assert.equal(answer.status, 201, answer.text)
    key = rotated.body.id
  }
})
