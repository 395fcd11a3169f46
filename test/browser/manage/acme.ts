import { ask, type Answer, type Person } from '../../harness/processes/console.ts'
import { addUsage } from '../../harness/seed/billing-rows.ts'
import { DEMO_MODEL, limitsOf } from '../../harness/environment.ts'
import { grantFunds } from '../../harness/seed/tenants.ts'
import { openWeb, type Web } from '../../harness/browser/web.ts'
import { createOrganization } from '../../../src/store/tenants/organizations.ts'
import { findProject } from '../../../src/store/tenants/projects.ts'
import type { Role } from '../../../src/tenancy/role.ts'

const MICRO = 1_000_000

/** An organization with people, projects, keys and money, and a browser to look at it. */
export type Acme = AsyncDisposable & {
  readonly web: Web
  readonly slug: string
  readonly id: string
  readonly people: Readonly<Record<Role, Person>>
  /** Calls a route of the organization. */
  ask(person: Person, method: string, path: string, body?: unknown): Promise<Answer>
}

export const TERMS = { version: '2026-09', url: 'https://example.com/contributor-terms' }

export async function openAcme(): Promise<Acme> {
  await using starting = new AsyncDisposableStack()
  const web = starting.use(
    await openWeb({
      plans: {
        team: {
          models: [DEMO_MODEL],
          limits: limitsOf(),
          billing: 'prepaid',
          prices: { [DEMO_MODEL]: { input: 1, output: 2 } },
        },
      },
      sections: { retention: { contributor_terms: TERMS } },
      console: { funding_help: 'Write to billing@example.com with your organization’s name.' },
    }),
  )
  const { database, pool } = web.environment.postgres
  const slug = 'acme'
  const settings = { slug, name: 'Acme', plan: 'team', retention: 'zero' } as const
  const { id } = await createOrganization(database, { ...settings, ownerAccountId: null })
  const { id: projectId } = await findProject(database, id, 'default')
  const open = async (role: Role, name: string, email: string) => {
    const person = await web.openPerson({ organizationId: id, role })
    await database
      .updateTable('accounts')
      .set({ name, email })
      .where('id', '=', person.accountId)
      .execute()
    return { ...person, email }
  }
  const people = {
    viewer: await open('viewer', 'Vera Novak', 'finance@acme.example'),
    member: await open('member', 'Miguel Santos', 'dev@acme.example'),
    admin: await open('admin', 'Ada Okafor', 'platform@acme.example'),
    owner: await open('owner', 'Olive Chen', 'ops@acme.example'),
  }
  const root = `${web.origin}/management/v1`
  const askAs: Acme['ask'] = (person, method, path, body) =>
    ask(root, method, `/organizations/${slug}${path}`, {
      as: { ...person.as, origin: web.origin },
      ...(body !== undefined && { body }),
    })
  await fill(askAs, people)
  await grantFunds(database, id, 120 * MICRO)
  await addUsage(pool, { id, projectId }, 18.4 * MICRO)
  const running = starting.move()
  return {
    web,
    slug,
    id,
    people,
    ask: askAs,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

async function fill(askAs: Acme['ask'], { owner, member }: Acme['people']): Promise<void> {
  for (const [name, limit] of [
    ['search', '50.00'],
    ['batch', '10.00'],
    ['trial', null],
  ] as const)
    await askAs(owner, 'POST', '/projects', {
      name,
      spending_limit: limit === null ? null : { amount: limit },
    })
  for (const name of ['laptop', 'notebook', 'ci'])
    await askAs(member, 'POST', '/keys', { name, owner: 'me', project: 'search' })
  await askAs(owner, 'POST', '/keys', { name: 'production', project: 'search' })
  await askAs(owner, 'POST', '/invitations', { email: 'qa@acme.example', role: 'member' })
  await askAs(owner, 'POST', '/projects/trial/archive')
  await askAs(owner, 'PUT', '/spending-alerts', {
    thresholds: ['50', '80', '100'],
    emails: ['finance@acme.example'],
  })
}
