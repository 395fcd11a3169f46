import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations } from '../harness/browser/axe.ts'
import { ask, type Person } from '../harness/processes/console.ts'
import { visit } from '../harness/browser/visit.ts'
import { signIn } from '../harness/browser/web.ts'
import { openAcme } from './manage/acme.ts'

const acme = await openAcme()
after(() => acme[Symbol.asyncDispose]())

const LOOKS = [
  ['light', 1280],
  ['dark', 390],
] as const
const PAGES = [
  'members',
  'projects',
  'audit',
  'billing',
  'settings/general',
  'settings/retention',
  'settings/sign-in',
  'settings/management-keys',
  'settings/support',
]
/** The role of the person is read again every 30 s. */
const POLLED_MS = 31_000

async function open(person: Person, path: string, options = {}): Promise<Page> {
  const page = await acme.web.openPage({ locale: 'en-GB', ...options })
  await signIn(page, acme.web, person)
  await visit(page, `${acme.web.origin}/o/acme/${path}`)
  return page
}

function button(page: Page, name: string) {
  return page.getByRole('button', { name, exact: true })
}

test('an invitation is joined once, and a new role changes the page without a reload', async () => {
  const { owner } = acme.people
  const page = await open(owner, 'members')
  await button(page, 'Invite').click()
  const dialog = page.getByRole('dialog')
  const guest = await acme.web.openPerson()
  await dialog.getByLabel('Email address').fill(guest.email)
  await dialog.getByLabel('Role').selectOption('viewer')
  await dialog.getByRole('button', { name: 'Invite' }).click()
  // No email is configured, so that the link is shown, once.
  const link = await dialog.locator('[data-shows=secret] code').innerText()
  await dialog.getByRole('button', { name: 'I’ve copied it' }).click()
  await page.getByText(guest.email).waitFor()
  assert.ok(!(await page.content()).includes(link))
  const token = /#token=([\w-]+)/.exec(link)?.[1]
  const accept = () =>
    ask(`${acme.web.origin}/management/v1`, 'POST', '/invitations/accept', {
      as: { ...guest.as, origin: acme.web.origin },
      body: { token },
    })
  assert.equal((await accept()).status, 200)
  assert.notEqual((await accept()).status, 200)
  const second = await open(guest, 'members')
  await second.clock.install()
  await second.reload()
  await second.getByText('you', { exact: true }).waitFor()
  assert.equal(await button(second, 'Invite').count(), 0)
  await page.reload()
  const row = page.getByRole('row').filter({ hasText: guest.email })
  await row.getByRole('button', { name: /role of/ }).click()
  await page.getByRole('menuitemradio', { name: /^Admin/ }).click()
  await page.getByText('is now an admin').waitFor()
  await second.clock.fastForward(POLLED_MS)
  await button(second, 'Invite').waitFor()
})

test('somebody who lowers their own role is asked, and sees less at once', async () => {
  const page = await open(acme.people.admin, 'members')
  const row = page.getByRole('row').filter({ hasText: acme.people.admin.email })
  await row.getByRole('button', { name: /role of/ }).click()
  await page.getByRole('menuitemradio', { name: /^Viewer/ }).click()
  await page
    .getByRole('alertdialog')
    .getByText('Only someone else can give your role back')
    .waitFor()
  await button(page, 'Change my role').click()
  await page.getByText('is now a viewer').waitFor()
  await button(page, 'Invite').waitFor({ state: 'detached' })
  await acme.ask(acme.people.owner, 'PATCH', `/members/${acme.people.admin.accountId}`, {
    role: 'admin',
  })
})

test('a removal names the keys that stop, and moves them if asked to', async () => {
  const { owner, member } = acme.people
  const page = await open(owner, 'members')
  const row = page.getByRole('row').filter({ hasText: member.email })
  await row.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('3 keys of this person stop working at the next request.').waitFor()
  await dialog.getByText('Move all 3 to the organization').click()
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  const keys = await acme.ask(owner, 'GET', '/keys?owner=organization&state=active')
  assert.deepEqual(
    keys.body.data.map((key) => key['name']).filter((name) => name !== 'production'),
    ['ci', 'notebook', 'laptop'],
  )
})

test('archiving a project names its keys and asks for its name', async () => {
  const { owner } = acme.people
  await acme.ask(owner, 'POST', '/projects', { name: 'old' })
  await acme.ask(owner, 'POST', '/keys', { name: 'old key', project: 'old' })
  const page = await open(owner, 'projects')
  await page.getByRole('link', { name: 'old', exact: true }).click()
  await button(page, 'Archive').click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('1 key of this project stops working at the next request').waitFor()
  const archive = dialog.getByRole('button', { name: 'Archive project' })
  assert.ok(await archive.isDisabled())
  await dialog.getByLabel('Type old to confirm').fill('old')
  await archive.click()
  await page.getByText('Its keys do not work any more.').waitFor()
})

test('a viewer changes nothing, and is not offered what only others may', async () => {
  const page = await open(acme.people.viewer, 'members')
  await page.getByRole('row').filter({ hasText: acme.people.owner.email }).waitFor()
  for (const name of ['Invite', 'Resend', 'Withdraw'])
    assert.equal(await button(page, name).count(), 0, name)
  await page.goto(`${acme.web.origin}/o/acme/settings/general`)
  await page.getByText('Slug').waitFor()
  const tabs = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
  assert.deepEqual(await tabs.allInnerTexts(), ['General'])
  assert.equal(await button(page, 'Save').count(), 0)
  await page.goto(`${acme.web.origin}/o/acme/projects`)
  await page.getByRole('link', { name: 'search' }).waitFor()
  assert.equal(await button(page, 'New project').count(), 0)
})

test('a management key is shown once, and is nowhere afterwards', async () => {
  const page = await open(acme.people.owner, 'settings/management-keys')
  await button(page, 'New management key').first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('deploy')
  await dialog.getByRole('button', { name: 'Read only' }).click()
  assert.equal(await dialog.getByLabel('keys:read').isChecked(), true)
  assert.equal(await dialog.getByLabel('keys:write').isChecked(), false)
  await dialog.getByRole('button', { name: 'Manage keys' }).click()
  assert.equal(await dialog.getByLabel('usage:read').isChecked(), false)
  await dialog.getByText('Create, change, rotate and revoke keys.').click()
  assert.equal(await dialog.getByLabel('keys:write').isChecked(), false)
  await dialog.getByRole('button', { name: 'Create key' }).click()
  const secret = await dialog.locator('[data-shows=secret] code').innerText()
  assert.match(secret, /^headrace_mk_/)
  await page.keyboard.press('Escape')
  assert.equal(await dialog.count(), 1)
  await dialog.getByRole('button', { name: 'I’ve copied it' }).click()
  await page.getByRole('row').filter({ hasText: 'deploy' }).waitFor()
  const kept = await page.evaluate<string>(
    `JSON.stringify([
      document.documentElement.outerHTML, localStorage, sessionStorage, history.state])`,
  )
  assert.ok(!kept.includes(secret))
})

test('an error in a card keeps off its edges, with the request id in a line below', async () => {
  const page = await acme.web.openPage({ locale: 'en-GB' })
  await signIn(page, acme.web, acme.people.owner)
  const headers = { 'x-request-id': crypto.randomUUID() }
  await page.route(/\/audit-events/, (route) =>
    route.fulfill({ status: 400, headers, json: { error: { code: 'bad', message: 'No.' } } }),
  )
  await page.goto(`${acme.web.origin}/o/acme/audit`)
  await page.getByRole('main').getByRole('alert').waitFor()
  const [inset, below] = await page.evaluate<[number, number]>(`(() => {
    const strip = document.querySelector('main .card [role=alert]')
    const card = strip.closest('.card').getBoundingClientRect()
    const [what, id] = ['b', '[data-shows=id]'].map((part) =>
      strip.querySelector(part).getBoundingClientRect())
    return [strip.getBoundingClientRect().left - card.left, id.bottom - what.bottom]
  })()`)
  assert.ok(inset >= 16, `${inset} px from the edge`)
  assert.ok(below >= 16, `the id is ${below} px below`)
})

test('a confirmation over a dialog has the only backdrop, until it closes', async () => {
  const facts = { organizationId: acme.id, role: 'owner', confirmed: false } as const
  const page = await open(await acme.web.openPerson(facts), 'settings/general')
  await button(page, 'Delete the organization').click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('textbox').fill('Acme')
  const dark = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('dialog[open]')]
      .filter((each) =>
        getComputedStyle(each, '::backdrop').backgroundColor !== 'rgba(0, 0, 0, 0)')
      .map((each) => each.querySelector('h2').textContent)`)
  assert.deepEqual(await dark(), ['Delete Acme for good?'])
  await dialog.getByRole('button', { name: 'Delete the organization' }).click()
  const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await confirm.waitFor()
  assert.deepEqual(await dark(), ['Confirm it’s you'])
  await page.keyboard.press('Escape')
  await confirm.waitFor({ state: 'detached' })
  assert.deepEqual(await dark(), ['Delete Acme for good?'])
})

test('a link opens one audit event with its change, whatever the filters show', async () => {
  const { owner } = acme.people
  await acme.ask(owner, 'PATCH', '/projects/batch', { spending_limit: { amount: '12' } })
  const [event] = (await acme.ask(owner, 'GET', '/audit-events?limit=1')).body.data
  const page = await open(owner, `audit?action=key.create&event=${event!.id}`)
  const card = page.getByRole('region', { name: 'Linked event' })
  await card.getByText('12.00 USD').waitFor()
  assert.match(await card.innerText(), /10\.00 USD/)
  await page.goto(`${acme.web.origin}/o/acme/audit?event=${event!.id}`)
  const row = page.getByRole('button', { expanded: true, name: /Changed a project/ })
  await row.waitFor()
  const csv = page.getByRole('link', { name: 'CSV' })
  await page.goto(`${acme.web.origin}/o/acme/audit?action=project.change`)
  assert.match((await csv.getAttribute('href')) ?? '', /action=project\.change&format=csv$/)
})

test('operators open, filter and download the events of any organization', async () => {
  const { owner } = acme.people
  await acme.ask(owner, 'PATCH', '/projects/batch', { spending_limit: { amount: '14' } })
  const page = await acme.web.openPage({ locale: 'en-GB' })
  await signIn(page, acme.web, await acme.web.openPerson({ platformRole: 'operator' }))
  await visit(page, `${acme.web.origin}/operator/audit?organization=acme&action=project.change`)
  const row = page.getByRole('button', { name: /^Show changes: Changed a project/ }).first()
  await row.click()
  const table = page.getByRole('table')
  await table.getByText('14.00 USD').waitFor()
  assert.equal(await table.getByRole('link', { name: acme.id }).count(), 1)
  assert.match(page.url(), /event=/)
  await page.getByRole('button', { name: /^Time/ }).click()
  await page.getByRole('menuitemradio', { name: 'Last 24 hours' }).click()
  await page.waitForURL(/period=24h/)
  const href = await page.getByRole('link', { name: 'JSON lines' }).getAttribute('href')
  assert.match(href ?? '', /organization=acme&action=project\.change&from=.*&format=jsonl$/)
  await page.getByRole('button', { name: 'Remove all filters' }).click()
  await page.waitForURL(/audit$/)
  await page.getByRole('searchbox').and(page.locator('[value=""]')).waitFor()
  await page.goto(`${acme.web.origin}/operator/organizations/acme`)
  const member = page.getByRole('row').filter({ hasText: 'ops@acme.example' })
  await member.getByRole('cell', { name: 'Owner', exact: true }).waitFor()
})

test('contributor retention is accepted only after its terms were opened', async () => {
  const page = await open(acme.people.owner, 'settings/retention')
  await page.getByRole('radio', { name: /contributor/ }).check()
  await button(page, 'Save').click()
  const dialog = page.getByRole('dialog')
  const accept = dialog.getByRole('button', { name: 'Accept and change' })
  const read = dialog.getByRole('checkbox')
  assert.deepEqual([await accept.isDisabled(), await read.isDisabled()], [true, true])
  await page.context().route('https://example.com/**', (route) => route.abort())
  await dialog.getByRole('link', { name: 'Open the terms' }).click()
  await read.check()
  await accept.click()
  await page.getByText('Retention is contributor from the next request on.').waitFor()
})

test('axe finds nothing on the pages of Manage, light and wide, dark and narrow', async () => {
  const found: string[] = []
  for (const [colorScheme, width] of LOOKS) {
    const viewport = { width, height: 800 }
    const page = await open(acme.people.owner, PAGES[0]!, { colorScheme, viewport })
    for (const path of PAGES) {
      await page.goto(`${acme.web.origin}/o/acme/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      const violations = await findViolations(page)
      if (overflow > 0) violations.push(`${overflow} px too wide`)
      found.push(...violations.map((each) => `${path} ${colorScheme} ${width}: ${each}`))
    }
    await page.context().close()
  }
  assert.deepEqual(found, [])
})
