import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAccount } from '../../src/store/tenants/accounts.ts'
import { operatorSetup } from '../../web/src/words/operator-setup.ts'
import { findViolations } from '../harness/browser/axe.ts'
import { visit } from '../harness/browser/visit.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'

const web = await openWeb()
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

const waiting = (name: string) =>
  createAccount(database, {
    email: `${name}-${crypto.randomUUID()}@example.com`,
    state: 'waiting',
    registered: true,
  })

test('the note of somebody who waits is beside their address in the waiting list', async () => {
  const person = await web.openPerson({ state: 'waiting' })
  const page = await web.openPage({ locale: 'en-GB' })
  await signIn(page, web, person)
  await visit(page, `${web.origin}/waiting`)
  const save = page.getByRole('button', { name: 'Save note' })
  assert.ok(await save.isDisabled())
  await page.getByLabel('A note for the operator').fill('Ada of Mill: tests of our new tool.')
  await save.click()
  await page.getByText('The note is saved.').waitFor()
  assert.deepEqual(await findViolations(page), [])
  const operator = await web.openPage({ locale: 'en-GB' })
  await signIn(operator, web, await web.openPerson({ platformRole: 'operator' }))
  await visit(operator, `${web.origin}/operator/waiting`)
  const row = operator.getByRole('row').filter({ hasText: person.email })
  await row.getByText('Ada of Mill: tests of our new tool.').waitFor()
  assert.deepEqual(await findViolations(operator), [])
  await database.deleteFrom('sessions').where('account_id', '=', person.accountId).execute()
  await database
    .updateTable('accounts')
    .set({ state: 'restricted' })
    .where('id', '=', person.accountId)
    .execute()
})

test('an admitted person owns an organization; who is in none is on the overview', async () => {
  const [owner, guest] = [await waiting('owner'), await waiting('guest')]
  const page = await web.openPage()
  await signIn(page, web, await web.openPerson({ platformRole: 'operator' }))
  await visit(page, `${web.origin}/operator`)
  const waitingLink = page.locator('aside').getByRole('link', { name: 'Waiting list' })
  await waitingLink.getByTitle('2 people wait').waitFor()
  const admit = async (email: string) => {
    await visit(page, `${web.origin}/operator/waiting`)
    await page.getByRole('button', { name: `Admit ${email}` }).click()
    return page.getByRole('dialog')
  }
  const dialog = await admit(owner.email)
  await dialog.getByText('This person can sign in from now on, and gets an email.').waitFor()
  await dialog.getByText('The address is not verified').waitFor()
  await dialog.getByRole('checkbox').check()
  const slug = `mill-${crypto.randomUUID().slice(0, 8)}`
  await dialog.getByLabel('Name of the organization').fill(slug.toUpperCase())
  await dialog.getByRole('button', { name: 'Admit', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const owned = await database
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['organizations.slug', 'memberships.role', 'accounts.state'])
    .where('accounts.id', '=', owner.id)
    .execute()
  assert.deepEqual(owned, [{ slug, role: 'owner', state: 'active' }])
  // A name that is taken is said at its field, and nobody was admitted.
  const second = await admit(guest.email)
  await second.getByRole('checkbox').check()
  await second.getByLabel('Name of the organization').fill(slug)
  await second.getByRole('button', { name: 'Admit', exact: true }).click()
  await second.locator('[aria-invalid=true]').waitFor()
  const state = database.selectFrom('accounts').select('state').where('id', '=', guest.id)
  assert.equal((await state.executeTakeFirstOrThrow()).state, 'waiting')
  await second.getByRole('checkbox').uncheck()
  await second.getByRole('button', { name: 'Admit', exact: true }).click()
  await second.waitFor({ state: 'detached' })
  await page.goto(`${web.origin}/operator`)
  await page.getByText('1 admitted person is in no organization:').waitFor()
  // With the default settings the console sees no engine, and says which setting it lacks.
  const setup = page.getByRole('region', { name: operatorSetup.title })
  await setup.getByText('api_health_urls').waitFor()
  await page.getByRole('link', { name: guest.email }).click()
  await page.getByRole('heading', { name: guest.email }).waitFor()
})
