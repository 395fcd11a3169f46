// covers: web/src/shell/help-menu.tsx src/platform/web/write-index.ts src/start/serve-console.ts
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openWeb, signIn } from '../harness/browser/web.ts'

const web = await openWeb({
  console: { docs: 'https://docs.example/start?a=1&b=2', contact: 'help@example.com' },
})
after(() => web[Symbol.asyncDispose]())

test('help leads to what the operator named, and to the shortcuts', async () => {
  const page = await web.openPage()
  await signIn(page, web, await web.openPerson({ platformRole: 'operator' }))
  await page.goto(`${web.origin}/account/profile`)
  const open = () => page.getByRole('button', { name: 'Help', exact: true }).click()
  await open()
  const menu = page.getByRole('menu', { name: 'Help' })
  const docs = menu.getByRole('menuitem', { name: 'Documentation' })
  assert.equal(await docs.getAttribute('href'), 'https://docs.example/start?a=1&b=2')
  const contact = menu.getByRole('menuitem', { name: 'Ask the operator' })
  assert.equal(await contact.getAttribute('href'), 'mailto:help@example.com')
  // No page of disturbances is configured.
  assert.equal(await menu.getByRole('menuitem').count(), 3)
  await menu.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
  await open()
  await menu.waitFor()
})
