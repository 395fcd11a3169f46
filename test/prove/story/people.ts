import type { Page } from 'playwright-core'
import { PASSWORD } from '../../harness/clients/sign-in.ts'
import { entry } from '../../../web/src/words/entry.ts'
import type { Bench } from './bench.ts'

/** Somebody with a browser of their own. */
export type Someone = { readonly name: string; readonly email: string; readonly page: Page }

export type People = {
  /** Runs the service. */
  readonly operator: Someone
  /** Signs up, waits, and owns the organization. */
  readonly owner: Someone
  /** Is invited with a lesser role. */
  readonly viewer: Someone
  /** Comes through the identity provider. */
  readonly colleague: Someone
}

export const DOMAIN = 'mill.example'
export const ORGANIZATION = { name: 'Mill Lane', slug: 'mill-lane' }

export async function gatherPeople(bench: Bench): Promise<People> {
  const meet = async (name: string, email: string) => {
    return { name, email, page: await bench.openBrowser() }
  }
  return {
    operator: await meet('Olga Operator', 'olga@operator.example'),
    owner: await meet('Ada Miller', `ada@${DOMAIN}`),
    viewer: await meet('Ben Weaver', 'ben@partner.example'),
    colleague: await meet('Cleo Miller', `cleo@${DOMAIN}`),
  }
}

/** Asks for an account and chooses a password by the link of the email. */
export async function signUpAndVerify({ mail }: Bench, { email, page }: Someone): Promise<void> {
  await page.getByLabel(entry.email, { exact: true }).fill(email)
  await page.getByRole('button', { name: entry.signUp.submit }).click()
  await page.getByRole('heading', { name: entry.signUp.sentTitle }).waitFor()
  const message = await mail.take(email)
  await page.goto(linkIn(message.text))
  await page.getByLabel(entry.password, { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: entry.completeSignUp.submit }).click()
}

/** The only address in an email with a token. */
export function linkIn(text: string): string {
  const link = /https?:\/\/\S+#token=[\w-]+/.exec(text)?.[0]
  if (link === undefined) throw new Error(`no link in the email: ${text}`)
  return link
}

export async function openPageOf({ web }: Bench, { page }: Someone, path: string): Promise<void> {
  await page.goto(`${web.origin}/o/${ORGANIZATION.slug}${path}`)
}

/** For whoever has to find out why a chapter failed. */
export async function showPages(bench: Bench, people: People): Promise<void> {
  for (const { name, page } of Object.values(people)) {
    if (page.url() === 'about:blank') continue
    console.log(`${name} is at ${page.url()}`)
    console.log(await page.locator('body').ariaSnapshot())
    await bench.keepPicture(page, 'failed')
  }
  for (const what of [...bench.violations, ...bench.pageErrors]) console.log(what)
}
