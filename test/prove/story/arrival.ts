import assert from 'node:assert/strict'
import { entry } from '../../../web/src/words/entry.ts'
import { account } from '../../../web/src/words/account.ts'
import { keyDialogs } from '../../../web/src/words/key-dialogs.ts'
import { operator as words } from '../../../web/src/words/operator.ts'
import type { Bench } from './bench.ts'
import { ORGANIZATION, signUpAndVerify, type People, type Someone } from './people.ts'

/** Sign-up, the email with the link, and the waiting page. */
export async function signUp(bench: Bench, { owner }: People): Promise<void> {
  const { page } = owner
  await page.goto(`${bench.web.origin}/sign-up`)
  await page.getByRole('heading', { name: entry.signUp.title }).waitFor()
  await bench.keepPicture(page, 'sign-up')
  await signUpAndVerify(bench, owner)
  await page.getByRole('heading', { name: entry.waiting.title }).waitFor()
  await bench.keepPicture(page, 'waiting')
}

/** The operator comes by the link of the first start, which works once, and admits. */
export async function admit(bench: Bench, { operator, owner }: People): Promise<void> {
  const { page } = operator
  const link = await bench.createOperatorLink(operator.email)
  await page.goto(link)
  await page.getByRole('heading', { name: words.overview.title }).waitFor()
  await admitOne(bench, operator, owner.email)
  const stranger = await bench.openBrowser()
  await stranger.goto(link)
  await stranger.getByText(entry.signIn.linkUsed).waitFor()
  await stranger.context().close()
}

/** Admits somebody from the waiting list, who gets an email. */
export async function admitOne(bench: Bench, { page }: Someone, email: string): Promise<void> {
  await page.goto(`${bench.web.origin}/operator/waiting`)
  await page.getByRole('button', { name: words.waiting.admitWho(email) }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(words.waiting.note).fill('Known to us')
  await bench.keepPicture(page, 'admit')
  await dialog.getByRole('button', { name: words.waiting.admit, exact: true }).click()
  await page.getByText(words.waiting.empty).waitFor()
  const message = await bench.mail.take(email)
  assert.ok(message.text.includes(bench.web.origin), message.text)
}

/** The admitted person registers; the dialog for the first key is open at the end. */
export async function register(bench: Bench, { owner }: People): Promise<void> {
  const { page } = owner
  await page.goto(bench.web.origin)
  await finishRegistration(owner, { organization: true })
  await page.getByRole('dialog', { name: keyDialogs.create }).waitFor()
}

/** Fills the page that asks for a name, the terms and an organization. */
export async function finishRegistration(
  { name, page }: Someone,
  { organization }: { readonly organization: boolean },
): Promise<void> {
  await page.getByRole('heading', { name: entry.welcome.title }).waitFor()
  await page.getByLabel(entry.welcome.name, { exact: true }).fill(name)
  await page.getByRole('checkbox').check()
  if (organization) {
    await page.getByLabel(account.organizations.name, { exact: true }).fill(ORGANIZATION.name)
    const slug = await page.getByLabel(account.organizations.slug).inputValue()
    assert.equal(slug, ORGANIZATION.slug)
  }
  await page.getByRole('button', { name: entry.welcome.submit }).click()
}
