import { forEachLimited } from '../../../src/lib/for-each-limited.ts'
import type { PageRow } from '../../harness/browser/pages.ts'
import { timeUntil, waitUntil } from '../../harness/figures/measure.ts'
import { signIn } from '../../harness/browser/web.ts'
import { settled } from '../../harness/browser/visit.ts'
import type { Day } from './days.ts'
import { askApi, missingIn, pickFrom, statusFor, truthOf } from './facts.ts'
import { becomesTrue, goWithin, markDocument, open, type Visit } from './visit.ts'

const SEEN_MS = 60_000
const KEYS = 10_000
const AT_ONCE = 4
/** Roles of this age are read again with the next page. */
const OLD_MS = 3_500
const isOfOrganization = ({ path }: PageRow) => path.startsWith('/o/')

async function says({ page, fail }: Visit, title: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1, name: title })
  if ((await timeUntil(() => heading.isVisible(), SEEN_MS)) === null)
    fail(`does not say “${title}”`)
}

/** The pages of somebody else in place of the owner. */
async function become(visit: Visit, role: 'member' | 'viewer'): Promise<Visit> {
  const { world, page, asked } = visit
  const person = await world.web.openPerson({ organizationId: world.organizationId, role })
  await page.context().clearCookies()
  await signIn(page, world.web, person)
  return { ...visit, person, asked: { ...asked, person } }
}

const removed: Day = {
  name: 'removed member',
  isFor: isOfOrganization,
  live: async (visits, { web }) => {
    await forEachLimited(AT_ONCE, visits, async (owner) => {
      const truth = await truthOf(owner.row, owner.asked)
      const visit = await become(owner, 'member')
      await visit.page.goto(`${web.origin}/account/profile`)
      await visit.page.getByRole('heading', { level: 1 }).first().waitFor()
      const openedAt = Date.now()
      await web.environment.postgres.database
        .deleteFrom('memberships')
        .where('account_id', '=', visit.person.accountId)
        .execute()
      await waitUntil('the roles to be older', () => Date.now() - openedAt > OLD_MS, SEEN_MS)
      await goWithin(visit)
      await says(visit, 'No access')
      const shown = truth.length - (await missingIn(visit.page, truth)).length
      if (shown > 0) visit.fail('shows an organization to somebody who was removed')
      if ((await visit.page.getByRole('alert').count()) > 0) visit.fail('shows errors')
    })
  },
}

/** The page opens exactly if the API answers; otherwise it says calmly that it is not for one. */
const wrongRole: Day = {
  name: 'wrong role',
  live: async (visits) => {
    await forEachLimited(AT_ONCE, visits, async (owner) => {
      const visit = await become(owner, 'member')
      await visit.page.goto(`${visit.asked.origin}/account/profile`)
      await visit.page.getByRole('heading', { level: 1 }).first().waitFor()
      await goWithin(visit)
      const status = await statusFor(visit.row, visit.asked)
      const isCalm = visit.page.getByRole('heading', { level: 1, name: 'Not for your role' })
      if (status === 403) await says(visit, 'Not for your role')
      else if (status === 200 && !(await isCalm.isVisible())) await settledOrCalm(visit)
      if (status === 404) await settled(visit.page)
      else if ((await visit.page.getByRole('alert').count()) > 0) visit.fail('shows errors')
    })
  },
}

/** Some pages need more than what they show: those that say so need not show it. */
async function settledOrCalm(visit: Visit): Promise<void> {
  const calm = visit.page.getByRole('heading', { level: 1, name: 'Not for your role' })
  const truth = await truthOf(visit.row, visit.asked)
  const isDone = async () =>
    (await calm.isVisible()) || (await missingIn(visit.page, truth)).length === 0
  if ((await timeUntil(isDone, SEEN_MS)) === null) visit.fail('shows neither page nor reason')
  else visit.count('compared')
}

const manyKeys: Day = {
  name: `${KEYS} keys`,
  isFor: ({ path }) => /^\/o\/\{slug\}(\/(keys|projects|members|usage))?$/.test(path),
  live: async (visits, { web, organizationId, seeded }) => {
    const { pool } = web.environment.postgres
    const client = await pool.connect()
    try {
      // Triggers rest: they announce each key to the processes.
      await client.query(`set session_replication_role = replica`)
      await client.query(
        `insert into api_keys (id, project_id, organization_id, name, hash, prefix, last4)
         select uuidv7(), $1::uuid, $2::uuid, 'key ' || n, sha256(($2::uuid::text || n)::bytea),
           'headrace_sk_', lpad(to_hex(n % 65536), 4, '0')
         from generate_series(1, $3::int) n on conflict do nothing`,
        [seeded.places.project, organizationId, KEYS],
      )
      await client.query(`set session_replication_role = origin`)
    } finally {
      client.release()
    }
    await Promise.all(
      visits.map(async (visit) => {
        await open(visit)
        await markDocument(visit)
        await becomesTrue(visit)
        if (visit.row.path !== '/o/{slug}/projects') return
        const answer = await askApi(visit.asked, '/organizations/{slug}/projects')
        const counts = pickFrom(answer, ['data', '*', 'keys', 'count'])
        const shown = counts.map((count) => Number(count).toLocaleString('en'))
        const missing = await missingIn(visit.page, shown)
        if (missing.length > 0) visit.fail(`does not count ${missing.join(', ')} keys`)
      }),
    )
  },
}

export const PEOPLE_DAYS: readonly Day[] = [removed, wrongRole, manyKeys]
