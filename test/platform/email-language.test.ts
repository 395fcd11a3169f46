import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Language } from '../../src/contract/language.ts'
import { ask, startConsole, type Person, type TestConsole } from '../harness/processes/console.ts'
import { startMailServer, type MailServer } from '../harness/servers/smtp.ts'
import { STRANGER } from '../harness/clients/sign-in.ts'

let mail: MailServer
let console_: TestConsole

before(async () => {
  mail = await startMailServer()
  console_ = await startConsole((config) => ({
    ...config,
    smtp_url: mail.url,
    console: { ...config.console, email_from: 'headrace@example.com', sign_up: 'open' },
  }))
})
after(async () => {
  await console_[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})

const WORDS = { en: /works once/, de: /funktioniert einmal/, 'zh-CN': /仅能使用一次/ }

async function choose({ as }: Person, language: Language): Promise<void> {
  const { status, body } = await ask(console_.root, 'PATCH', '/me', { as, body: { language } })
  assert.equal(status, 200)
  assert.equal((body as unknown as { language: string }).language, language)
}

for (const language of ['en', 'de', 'zh-CN'] as const)
  test(`an account with the language ${language} gets its emails in it`, async () => {
    const person = await console_.openPerson()
    await choose(person, language)
    const { email } = person
    await ask(console_.root, 'POST', '/password-resets', { as: STRANGER, body: { email } })
    assert.match((await mail.take(email)).text, WORDS[language])
  })

test('an account without a language gets English', async () => {
  const { email, as } = await console_.openPerson()
  const { body } = await ask(console_.root, 'GET', '/me', { as })
  assert.equal((body as unknown as { language: null }).language, null)
  await ask(console_.root, 'POST', '/password-resets', { as: STRANGER, body: { email } })
  assert.match((await mail.take(email)).text, WORDS.en)
})

test('an invitation to a stranger is in the language of whoever invites', async () => {
  const { id: organizationId } = await console_.openOrganization()
  const owner = await console_.openPerson({ organizationId, role: 'owner' })
  await choose(owner, 'de')
  const email = `${crypto.randomUUID()}@example.com`
  const path = `/organizations/${organizationId}/invitations`
  await ask(console_.root, 'POST', path, { as: owner.as, body: { email, role: 'member' } })
  assert.match((await mail.take(email)).text, WORDS.de)
})

test('an invitation to an account is in the language of that account', async () => {
  const { id: organizationId } = await console_.openOrganization()
  const owner = await console_.openPerson({ organizationId, role: 'owner' })
  const guest = await console_.openPerson()
  await choose(owner, 'de')
  await choose(guest, 'zh-CN')
  const path = `/organizations/${organizationId}/invitations`
  const body = { email: guest.email, role: 'member' }
  await ask(console_.root, 'POST', path, { as: owner.as, body })
  assert.match((await mail.take(guest.email)).text, WORDS['zh-CN'])
})

test('400: a language that the console does not have', async () => {
  const { as } = await console_.openPerson()
  const { status } = await ask(console_.root, 'PATCH', '/me', { as, body: { language: 'qps' } })
  assert.equal(status, 400)
})
