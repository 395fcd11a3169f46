// covers: web/src/pages/operator/vouchers/** web/src/pages/billing/redeem-voucher.tsx
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { DEMO_MODEL, limitsOf } from '../harness/environment.ts'
import { openWeb, signIn } from '../harness/browser/web.ts'
import { createOrganization } from '../../src/store/tenants/organizations.ts'

// Without payments.
const web = await openWeb({
  plans: {
    team: {
      models: [DEMO_MODEL],
      limits: limitsOf(),
      billing: 'prepaid',
      prices: { [DEMO_MODEL]: { input: 1, output: 2 } },
    },
  },
})
after(() => web[Symbol.asyncDispose]())
const { database } = web.environment.postgres

test('an operator makes vouchers, an owner redeems one, and another is revoked', async () => {
  const settings = { slug: 'mill', name: 'Mill', plan: 'team', retention: 'zero' } as const
  const { id } = await createOrganization(database, { ...settings, ownerAccountId: null })
  const operators = await web.openPage()
  await signIn(operators, web, await web.openPerson({ platformRole: 'operator' }))
  await operators.goto(`${web.origin}/operator`)
  await operators.getByRole('link', { name: 'Vouchers' }).click()
  await operators.getByText('No vouchers yet').waitFor()
  await operators.getByRole('button', { name: 'Create vouchers' }).click()
  const dialog = operators.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('12,50')
  await dialog.getByLabel('Number of codes').fill('3')
  await dialog.getByLabel('Days until the credit expires').fill('90')
  await dialog.getByLabel('Note').fill('=fair')
  await dialog.getByRole('button', { name: 'Create 3 vouchers' }).click()
  const list = dialog.getByRole('list', { name: 'Codes' })
  await list.waitFor()
  const codes = await list.getByRole('listitem').all()
  const [code] = await Promise.all(codes.map((each) => each.textContent()))
  assert.equal(codes.length, 3)
  const downloading = operators.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download as CSV' }).click()
  const lines = (await readFile(await (await downloading).path(), 'utf8')).split('\r\n')
  assert.equal(lines[0], 'code,id,amount,currency,expires_at,credit_days,note')
  assert.match(lines[1]!, new RegExp(`^${code},[0-9a-f-]{36},12\\.50,USD,,90,'=fair$`))
  await dialog.getByRole('button', { name: 'I’ve copied them' }).click()
  const table = operators.getByRole('table', { name: 'Vouchers, newest first' })
  await table.getByText('0 of 1').first().waitFor()
  assert.ok(!(await operators.content()).includes(code!))

  const page = await web.openPage()
  await signIn(page, web, await web.openPerson({ organizationId: id, role: 'admin' }))
  await page.goto(`${web.origin}/o/mill/billing`)
  await page.getByRole('button', { name: 'Redeem a voucher' }).click()
  const asking = page.getByRole('dialog')
  await asking.getByLabel('Code').fill('7QKD-2M0X-V9ET-HC4R')
  await asking.getByRole('button', { name: 'Redeem', exact: true }).click()
  await asking.getByText('This code cannot be redeemed').waitFor()
  await asking.getByLabel('Code').fill(code!.toLowerCase())
  await asking.getByRole('button', { name: 'Redeem', exact: true }).click()
  await page.getByText('12.50 USD was added to the balance. What is left of it expires').waitFor()
  const history = page.getByRole('table', { name: 'Balance history, without usage' })
  await history.getByText('Voucher redeemed').waitFor()
  await page.getByRole('table', { name: 'Credits that expire' }).waitFor()

  await operators.reload()
  const revoke = table.getByRole('button', { name: 'Revoke' })
  await table.getByText('Used up').waitFor()
  assert.equal(await revoke.count(), 2)
  await revoke.first().click()
  const sure = operators.getByRole('alertdialog')
  await sure.getByRole('button', { name: 'Revoke' }).click()
  await sure.waitFor({ state: 'detached' })
  await table.getByText('Revoked', { exact: true }).waitFor()
  assert.equal(await revoke.count(), 1)
})

test('who does not add money sees no voucher, and support makes none', async () => {
  const settings = { slug: 'barn', name: 'Barn', plan: 'team', retention: 'zero' } as const
  const { id } = await createOrganization(database, { ...settings, ownerAccountId: null })
  const page = await web.openPage()
  await signIn(page, web, await web.openPerson({ organizationId: id, role: 'viewer' }))
  await page.goto(`${web.origin}/o/barn/billing`)
  await page.getByText('Available', { exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Redeem a voucher' }).count(), 0)
  const support = await web.openPage()
  await signIn(support, web, await web.openPerson({ platformRole: 'support' }))
  await support.goto(`${web.origin}/operator/vouchers`)
  await support.getByRole('heading', { name: 'Vouchers' }).waitFor()
  await support.getByRole('table', { name: 'Vouchers, newest first' }).waitFor()
  assert.equal(await support.getByRole('button', { name: 'Create vouchers' }).count(), 0)
  assert.equal(await support.getByRole('button', { name: 'Revoke' }).count(), 0)
})
