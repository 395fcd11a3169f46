// Walk 3 of the console: a key from its creation to its end.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { visit } from '../harness/browser/visit.ts'
import { findViolations } from '../harness/browser/axe.ts'
import { openScripted } from '../harness/fake-engine/stream-engines.ts'
import { isWhole } from '../harness/clients/stream-client.ts'
import { openKey } from '../harness/seed/tenants.ts'
import { MODEL, openKeysBench } from './keys-bench.ts'

const bench = await openKeysBench()
const tenant = await bench.openTenant()
after(() => bench[Symbol.asyncDispose]())

async function openKeys(path = ''): Promise<Page> {
  const page = await bench.openPage(tenant.owner)
  await page.goto(`${bench.web.origin}/o/${tenant.slug}/keys${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

/** Creates a key by its dialog, and reads the secret. */
async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Create key' }).click()
  return readSecret(page)
}

async function readSecret(page: Page): Promise<string> {
  await page.getByRole('heading', { name: 'Copy the key now' }).waitFor()
  return page.locator('[data-shows=secret] code').innerText()
}

async function closeSecret(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'I’ve copied it' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function openKeyPage(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

/** Everything that a page keeps: document, storage, caches, databases, history and its caches. */
async function readTraces(page: Page): Promise<string> {
  const kept = await page.evaluate<string>(`(async () => {
    const cached = []
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys()) cached.push(request.url)
    const databases = (await indexedDB.databases()).map(({ name }) => name)
    const fields = [...document.querySelectorAll('input, textarea')].map(({ value }) => value)
    const entries = performance.getEntries().map(({ name }) => name)
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, cached, databases, fields,
      entries, history.state, location.href, document.cookie, window.name])
  })()`)
  return `${kept}${await page.content()}`
}

describe('creating', () => {
  test('a key is shown once, copied, and afterwards nowhere in the browser', async () => {
    const page = await openKeys('?create=1')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('first key')
    // There is one project, so there is nothing to choose.
    await dialog.getByText('default', { exact: true }).waitFor()
    assert.equal(await dialog.getByRole('combobox', { name: 'Project' }).count(), 0)
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const secret = await readSecret(page)
    assert.match(secret, /^headrace_sk_\w{20,}$/)
    await page.getByRole('button', { name: 'Copy key' }).click()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret)
    assert.ok((await page.locator('pre').innerText()).includes(`HEADRACE_API_KEY=${secret}`))
    await page.getByRole('tab', { name: 'curl' }).click()
    const curl = await page.locator('pre').innerText()
    assert.ok(curl.startsWith(`curl ${bench.web.apiRoot}/chat/completions`), curl)
    await page.keyboard.press('Escape')
    assert.equal(
      await page.locator('[data-shows=secret] code').innerText(),
      secret,
      'Escape must not close it',
    )
    await closeSecret(page)
    assert.ok(!(await readTraces(page)).includes(secret))
    await page.goBack().catch(() => null)
    await page.goForward().catch(() => null)
    assert.ok(!(await readTraces(page)).includes(secret))
    assert.equal(await bench.ask(secret), 200)
    assert.ok(page.url().endsWith('/keys'), page.url())
    await page.context().close()
  })

  test('an error stands at the field that it names', async () => {
    const page = await openKeys('?create=1')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('with a limit')
    await dialog.getByText('More: key limits').click()
    await dialog.getByLabel('Spending limit').fill('a lot')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const field = dialog.getByLabel('Spending limit')
    await dialog.getByRole('alert').waitFor()
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    const top = async (label: string) => (await dialog.getByLabel(label).boundingBox())?.y
    assert.equal(await top('Spending limit'), await top('Requests per minute'), 'both in line')
    await page.context().close()
  })

  test('a viewer sees keys, and no way to make or change one', async () => {
    const { organizationId } = tenant
    const viewer = await bench.web.openPerson({ organizationId, role: 'viewer' })
    await openKey(bench.web.environment.postgres.database, tenant.projectId)
    const page = await bench.openPage(viewer)
    await visit(page, `${bench.web.origin}/o/${tenant.slug}/keys?create=1`)
    await page.getByRole('button', { name: 'More about test' }).first().click()
    await page.getByRole('menuitem', { name: 'Open' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: /Rotate|Revoke/ }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Create key' }).count(), 0)
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.context().close()
  })
})

describe('finding', () => {
  test('a key is found by any part of its name and by its last four characters', async () => {
    const page = await openKeys()
    const secret = await createKey(page, 'Deploy robot')
    await closeSecret(page)
    const search = page.getByRole('searchbox')
    for (const text of ['deploy', 'robot', secret.slice(-4)]) {
      await search.fill(text)
      await page.waitForURL((url) => url.searchParams.get('q') === text)
      await page.getByRole('link', { name: 'Deploy robot' }).waitFor()
      assert.equal(await page.locator('tbody tr').count(), 1, text)
    }
    await search.fill('robots')
    await page.getByText('No matching keys').waitFor()
    await page.context().close()
  })
})

describe('changing', () => {
  test('settings that somebody else changed meanwhile are not overwritten', async () => {
    const page = await openKeys()
    await createKey(page, 'shared')
    await closeSecret(page)
    await openKeyPage(page, 'shared')
    await page.getByRole('button', { name: 'Edit settings' }).click()
    await bench.web.environment.postgres.database
      .updateTable('api_keys')
      .set({ requests_per_minute: 7 })
      .where('name', '=', 'shared')
      .execute()
    await page.getByLabel('Name').fill('mine')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Someone else changed this key in the meantime.').waitFor()
    await page.getByRole('button', { name: 'Load the new settings' }).click()
    await page.getByRole('button', { name: 'Edit settings' }).click()
    assert.equal(await page.getByLabel('Requests per minute').inputValue(), '7')
    await page.getByLabel('Name').fill('ours')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'ours' }).waitFor()
    await page.context().close()
  })

  test('a key ignores the parameters that are checked, from the next request on', async () => {
    const page = await openKeys()
    const key = await createKey(page, 'dify')
    await closeSecret(page)
    await openKeyPage(page, 'dify')
    await page.getByText('None').waitFor()
    assert.equal(await bench.ask(key, { user: 'somebody' }), 400)
    const edit = async (...names: string[]) => {
      await page.getByRole('button', { name: 'Edit settings' }).click()
      const fields = page.getByRole('group', { name: 'Ignored parameters' })
      for (const name of names) await fields.getByLabel(name, { exact: true }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await edit('metadata', 'user')
    await page.getByText('user, metadata', { exact: true }).waitFor()
    assert.equal(await bench.ask(key, { user: 'somebody', metadata: { team: 'blue' } }), 200)
    await edit('user')
    await page.getByText('metadata', { exact: true }).waitFor()
    assert.equal(await bench.ask(key, { user: 'somebody' }), 400)
    await page.context().close()
  })

  test('after a rotation with an overlap both keys work, without one only the new', async () => {
    const page = await openKeys()
    const first = await createKey(page, 'rotating')
    await closeSecret(page)
    await openKeyPage(page, 'rotating')
    const rotate = async (overlap: string) => {
      await page.getByRole('button', { name: 'Rotate key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Keep the old key for').selectOption({ label: overlap })
      await dialog.getByRole('button', { name: 'Rotate key' }).click()
      const secret = await readSecret(page)
      await closeSecret(page)
      assert.ok(!(await readTraces(page)).includes(secret))
      return secret
    }
    const second = await rotate('1 hour')
    const other = await openKeys()
    const rows = other.getByRole('row').filter({ hasText: 'rotating' })
    await rows.filter({ hasText: 'Replaced' }).waitFor()
    assert.equal(await rows.count(), 2)
    await other.context().close()
    assert.deepEqual([await bench.ask(first), await bench.ask(second)], [200, 200])
    await page.getByRole('link', { name: 'Open the new key' }).click()
    await page.getByRole('button', { name: 'Rotate key' }).waitFor()
    const third = await rotate('no overlap: it stops at the next request')
    assert.deepEqual([await bench.ask(second), await bench.ask(third)], [401, 200])
    await page.context().close()
  })

  test('a key that is revoked during a stream: the stream ends whole, then 401', async () => {
    const page = await openKeys()
    const key = await createKey(page, 'streaming')
    await closeSecret(page)
    const { chat } = openScripted({ apiRoot: bench.web.apiRoot, key }, MODEL, { mode: 'hold' })
    await chat.begun
    await openKeyPage(page, 'streaming')
    await page.getByText('Last used').waitFor()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    const dialog = page.getByRole('alertdialog')
    const confirm = dialog.getByLabel('Type streaming to confirm')
    if ((await confirm.count()) > 0) await confirm.fill('streaming')
    await dialog.getByLabel('Reason').fill('Laptop lost')
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText(/This key was revoked on .* Laptop lost/).waitFor()
    assert.equal(await bench.ask(key), 401)
    bench.engines.release(0)
    assert.equal(await chat.ended, 'complete')
    assert.ok(isWhole(chat), chat.text)
    await page.context().close()
  })

  test('a key that was used today is revoked only by typing its name', async () => {
    const { postgres } = bench.web.environment
    const page = await openKeys()
    await createKey(page, 'in use')
    await closeSecret(page)
    await postgres.database
      .updateTable('api_keys')
      .set({ last_used_at: new Date() })
      .where('name', '=', 'in use')
      .execute()
    await openKeyPage(page, 'in use')
    await page
      .getByText(/^\d+ s ago$/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    const dialog = page.getByRole('alertdialog')
    const revoke = dialog.getByRole('button', { name: 'Revoke key' })
    assert.equal(await revoke.isDisabled(), true)
    await dialog.getByLabel('Type in use to confirm').fill('in use')
    await revoke.click()
    await page.getByText(/This key was revoked on/).waitFor()
    await page.context().close()
  })
})

for (const theme of ['light', 'dark'] as const)
  test(`axe finds nothing on the pages and dialogs of keys (${theme})`, async () => {
    const { id } = await openKey(bench.web.environment.postgres.database, tenant.projectId)
    const page = await bench.openPage(tenant.owner, theme)
    const root = `${bench.web.origin}/o/${tenant.slug}/keys`
    const check = async (what: string) => assert.deepEqual(await findViolations(page), [], what)
    await page.goto(root)
    await page.locator('tbody th a').first().waitFor()
    await check('list')
    const secret = await createKey(page, `axe ${theme}`)
    assert.ok(secret.length > 0)
    await check('secret')
    await closeSecret(page)
    await visit(page, `${root}?create=1`)
    await page.getByRole('dialog').getByText('Only these').click()
    await page.getByText('More: key limits').click()
    await check('create')
    await visit(page, `${root}/${id}`)
    for (const name of ['Edit settings', 'Rotate key', 'Revoke key']) {
      await page.getByRole('button', { name }).click()
      await page.getByRole(name === 'Revoke key' ? 'alertdialog' : 'dialog').waitFor()
      await check(name)
      await page.keyboard.press('Escape')
    }
    await check('one key')
    await page.context().close()
  })
