import type { Page } from 'playwright-core'
import type { Person } from '../processes/console.ts'
import { openKey, openOrganization, type Organization } from '../seed/tenants.ts'
import { settled } from './visit.ts'
import { signIn, type Web } from './web.ts'

export type PlaygroundPage = {
  readonly page: Page
  readonly organization: Organization
  readonly slug: string
  readonly person: Person
  /** An API key of the same organization. */
  readonly key: string
  /** Types a message and sends it by keyboard. */
  readonly send: (text: string) => Promise<void>
}

type Opening = {
  readonly plan?: string
  readonly search?: string
  readonly role?: 'owner' | 'member'
}

/** The playground of a new organization, opened by a member or owner; `search` has settings. */
export async function openPlayground(
  web: Web,
  { plan = 'ample', search = '', role = 'member' }: Opening = {},
): Promise<PlaygroundPage> {
  const { database } = web.environment.postgres
  const organization = await openOrganization(database, plan)
  const { slug } = await database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', organization.id)
    .executeTakeFirstOrThrow()
  const person = await web.openPerson({ organizationId: organization.id, role })
  const page = await web.openPage({ viewport: { width: 1280, height: 800 } })
  await signIn(page, web, person)
  await page.goto(`${web.origin}/o/${slug}/playground${search}`)
  await settled(page)
  const message = page.getByLabel('Message', { exact: true })
  return {
    page,
    organization,
    slug,
    person,
    key: (await openKey(database, organization.projectId)).text,
    send: async (text) => {
      await message.fill(text)
      await message.press('Enter')
    },
  }
}
