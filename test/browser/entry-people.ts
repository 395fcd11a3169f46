import type { Page } from 'playwright-core'
import { hashPassword } from '../../src/platform/sign-in/identity/password.ts'
import { setPassword } from '../../src/store/sign-in/passwords.ts'
import type { Person, PersonFacts } from '../harness/processes/console.ts'
import { PASSWORD } from '../harness/clients/sign-in.ts'
import type { Web } from '../harness/browser/web.ts'

/** Somebody who can sign in with `PASSWORD`. */
export async function openPersonWithPassword(web: Web, facts: PersonFacts = {}): Promise<Person> {
  const person = await web.openPerson(facts)
  const { database } = web.environment.postgres
  await setPassword(database, person.accountId, await hashPassword(PASSWORD))
  return person
}

/** Types address and password into the sign-in page, which must be open. */
export async function signInByHand(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('input[name=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** By the menu at the bottom of the sidebar. */
export async function signOutByHand(page: Page): Promise<void> {
  await page.locator('aside').getByTitle('@').click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  // A call that fails meanwhile leads to the same page, with a way back.
  await page.waitForURL(({ pathname, search }) => pathname === '/sign-in' && search === '')
}
