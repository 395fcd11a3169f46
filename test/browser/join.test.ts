import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '../../src/platform/sign-in/identity/token.ts'
import { createInvitation } from '../../src/store/people/invitations.ts'
import { lockOrganization } from '../../src/store/tenants/organizations.ts'
import { PASSWORD } from '../harness/clients/sign-in.ts'
import { openOrganization } from '../harness/seed/tenants.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { signOutByHand } from './entry-people.ts'

const HOUR_MS = 3_600_000

const terms = { version: '3', url: 'https://example.com/terms' }
const web = await openWeb({
  console: { sign_up: 'waiting', terms, contact: 'help@example.com' },
})
after(() => web[Symbol.asyncDispose]())

/** The link of an invitation, as its email has it or as its inviter would pass it on. */
async function invite(email: string, emailed: boolean): Promise<string> {
  const { database } = web.environment.postgres
  const { id: organizationId } = await openOrganization(database, 'ample')
  const { token, hash } = createToken()
  await database.transaction().execute(async (transaction) => {
    await lockOrganization(transaction, organizationId)
    await createInvitation(transaction, {
      organizationId,
      email,
      role: 'member',
      tokenHash: hash,
      emailed,
      invitedBy: null,
      managementKeyId: null,
      endsAt: new Date(Date.now() + HOUR_MS),
    })
  })
  return `${web.origin}/join#token=${token}`
}

test('a stranger with the link of an email is in with name, password and terms', async () => {
  const page = await web.openPage()
  const link = await invite('stranger@example.com', true)
  await page.goto(link)
  await page.getByText('stranger@example.com').waitFor()
  await page.getByLabel('Your name').fill('Grace Weir')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  const join = page.getByRole('button', { name: 'Create the account and join' })
  await join.click()
  await page.getByText('Accept the current version of the terms.').waitFor()
  await page.getByRole('checkbox').check()
  await join.click()
  await page.waitForURL(({ pathname }) => pathname.startsWith('/o/'))
  await page.getByRole('navigation').first().waitFor()
  await signOutByHand(page)
  await page.goto(link)
  await page.getByRole('heading', { name: 'This invitation was used or has expired' }).waitFor()
})

test('a link that was passed on asks to sign in or to sign up', async () => {
  const page = await web.openPage()
  await page.goto(await invite('passed-on@example.com', false))
  await page.getByRole('link', { name: 'Sign in to accept' }).waitFor()
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('Email address').waitFor()
})

test('somebody in no organization who may create none is told whom to ask', async () => {
  const person = await web.openPerson()
  await web.environment.postgres.database
    .updateTable('accounts')
    .set({ by_invitation: true })
    .where('id', '=', person.accountId)
    .execute()
  const page = await web.openPage()
  await signIn(page, web, person)
  await page.goto(web.origin)
  await page.getByRole('heading', { name: 'You don’t belong to an organization yet' }).waitFor()
  const contact = page.getByRole('link', { name: 'Ask the operator' })
  assert.equal(await contact.getAttribute('href'), 'mailto:help@example.com')
})
