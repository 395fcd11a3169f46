import { sql } from 'kysely'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { HOUR_MS } from '../../../src/lib/time.ts'
import { postUsage } from '../../../src/store/ledger/usage-records.ts'
import { createPartitions, dayOf } from '../../../src/store/postgres/partitions.ts'
import { createOrganization } from '../../../src/store/tenants/organizations.ts'
import { createProject } from '../../../src/store/tenants/projects.ts'
import { DEMO_MODEL } from '../../harness/environment.ts'
import { waitUntil } from '../../harness/figures/measure.ts'
import { openKey } from '../../harness/seed/tenants.ts'
import { logged, usageRecord } from '../../harness/seed/usage-records.ts'
import type { Web } from '../../harness/browser/web.ts'
import type { PayingWeb } from '../../harness/payments/paying-web.ts'
import { seedWithPayments, type SeededWithPayments } from '../accessibility/seed-payments.ts'
import type { Seeded } from '../accessibility/seed.ts'

/** The longest name that is allowed, in the widest letter. */
const WIDE = 'W'.repeat(100)
const ARABIC = 'مفتاح الإنتاج للبحث في المستندات القديمة والجديدة في جميع أنحاء المؤسسة الكبيرة'
const LONG_MODEL = 'headrace/pebble-72b-instruct-2026-11-preview-awq-int4-longcontext'
const LARGE = 987_654_321
const LARGE_PAYMENT = '987654.32'
const POSTED_MS = 30_000
const OUTCOMES = ['completed', 'failed', 'abandoned', 'lost'] as const

/** The places of the accessibility proof with names and figures as long as they may be. */
export async function seedLongNames(web: PayingWeb): Promise<SeededWithPayments> {
  const seeded = await seedWithPayments(web, LARGE_PAYMENT)
  const { database } = web.environment.postgres
  const { project, slug } = seeded.places
  const owner = seeded.people.owner!
  const { id } = await database
    .selectFrom('organizations')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  const other = await createProject(database, id, ARABIC)
  await openKey(database, other.id, { name: ARABIC, accountId: owner.accountId })
  await openKey(database, project, { expiresAt: new Date(Date.now() + HOUR_MS) })
  await createOrganization(database, {
    slug: 'w'.repeat(40),
    name: ARABIC,
    plan: 'ample',
    retention: 'zero',
    ownerAccountId: owner.accountId,
  })
  await renameAll(web)
  await postLarge(web, id, seeded)
  await beRefused(web, project)
  return seeded
}

async function renameAll({ environment }: Web): Promise<void> {
  const { database } = environment.postgres
  await sql`update organizations set name = ${WIDE} where name <> ${ARABIC}`.execute(database)
  await sql`update projects set name = ${WIDE}
    where name not in (${ARABIC}, 'default')`.execute(database)
  await sql`update projects set name = ${WIDE} where organization_id =
    (select id from organizations where slug like 'test-%')
    and name = 'default'`.execute(database)
  await sql`update api_keys set name = ${WIDE} where name <> ${ARABIC}`.execute(database)
  await sql`update accounts set name = ${WIDE},
    email = right(id::text, 8) || ${'w'.repeat(52)} || '@' || ${'x'.repeat(40)} || '.example'
    `.execute(database)
  await sql`update refunds set reason = ${WIDE}`.execute(database)
}

/** Records of each outcome with the longest model id and figures of nine digits. */
async function postLarge({ environment }: Web, organizationId: string, seeded: Seeded) {
  const { pool } = environment.postgres
  const now = Date.now()
  await createPartitions(pool, 'usage_records', dayOf(now - HOUR_MS), dayOf(now))
  const usage = OUTCOMES.flatMap((outcome, at) =>
    [LONG_MODEL, DEMO_MODEL].map((model) =>
      logged(
        usageRecord({
          id: uuidV7(now - at),
          organizationId,
          projectId: seeded.places.project,
          credentialId: seeded.places.key,
          accountId: null,
          model,
          promptTokens: LARGE,
          cachedTokens: LARGE - 1,
          completionTokens: LARGE,
          reasoningTokens: LARGE - 1,
          outcome,
          firstTokenMs: 123_456,
          durationMs: 12_345_678,
          settledAtMs: now - at,
        }),
      ),
    ),
  )
  const isPosted = async () => (await postUsage(pool, usage)).partitions.size > 0
  await waitUntil('the worker to release the partition', isPosted, POSTED_MS)
}

/** Leaves a refusal in the list of requests. */
async function beRefused({ apiRoot, environment }: Web, projectId: string): Promise<void> {
  const { text } = await openKey(environment.postgres.database, projectId, { name: WIDE })
  await fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${text}` },
    body: JSON.stringify({ model: LONG_MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
  }).then((response) => response.text())
}
