import { uuidV7 } from '../../src/lib/uuid.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/time.ts'
import { changeFunds } from '../../src/store/ledger/double-entry.ts'
import { postUsage, type LoggedUsage } from '../../src/store/ledger/usage-records.ts'
import { organizationKeys } from '../../src/store/valkey/keys.ts'
import { createPartitions, dayOf } from '../../src/store/postgres/partitions.ts'
import { createOrganization } from '../../src/store/tenants/organizations.ts'
import { createProject, findProject } from '../../src/store/tenants/projects.ts'
import { priceFrom } from '../../src/tenancy/price.ts'
import type { Person } from '../harness/processes/console.ts'
import { DEMO_MODEL } from '../harness/environment.ts'
import { waitUntil } from '../harness/figures/measure.ts'
import { createRandom } from '../harness/figures/random.ts'
import { openKey, type Key, type KeyOptions } from '../harness/seed/tenants.ts'
import { logged, usageRecord } from '../harness/seed/usage-records.ts'
import type { Web } from '../harness/browser/web.ts'

export const SLUG = 'acme'
const STRICT_MODEL = 'headrace/pebble-strict'
const PRICE_SETTINGS = { input: 0.6, cached_input: 0.12, output: 2.4 }
/** The plan of the demo organization; its limits are small enough to be refused by. */
export const PLAN = {
  models: 'all',
  billing: 'prepaid',
  credentials: ['api_key', 'playground'],
  limits: {
    requests_per_minute: 120,
    requests_per_day: 5_000,
    tokens_per_minute: 12_000,
    tokens_per_day: 4_000_000,
  },
  prices: { [DEMO_MODEL]: PRICE_SETTINGS, [STRICT_MODEL]: PRICE_SETTINGS },
} as const
const PRICE = priceFrom(PRICE_SETTINGS)
const GRANTED_MICRO = 120_000_000
const DAYS = 8
const SEED = 11
/** Requests of an hour, by the hours before the last: a day with its night. */
const RHYTHM = [
  60, 66, 44, 48, 58, 62, 54, 36, 18, 8, 4, 2, 2, 2, 4, 6, 8, 10, 14, 18, 22, 30, 42, 56,
]
/** Days before the last, as shares of it. */
const WEEK = [1, 0.8, 0.42, 0.36, 0.91, 0.87, 0.96]
const FAILED_SHARE = 0.02
const POSTED_MAX = 2_000
const POST_TIMEOUT_MS = 30_000

export type Demo = {
  readonly organizationId: string
  readonly owner: Person
  readonly key: Key
}

/** "Acme" with people, projects, keys and eight days of usage that ends now. */
export async function seedDemo(web: Web): Promise<Demo> {
  const { database, pool } = web.environment.postgres
  const owner = await openOwner(web, 'Ada Weir', 'ada@acme.example')
  const { id } = await createOrganization(database, {
    slug: SLUG,
    name: 'Acme',
    plan: 'team',
    retention: 'zero',
    ownerAccountId: owner.accountId,
  })
  const base = (await findProject(database, id, 'default')).id
  const search = (await createProject(database, id, 'search')).id
  const support = (await createProject(database, id, 'support-bot')).id
  const soon = new Date(Date.now() + 9 * DAY_MS)
  const later = new Date(Date.now() + 80 * DAY_MS)
  const open = async (name: string, projectId: string, options: KeyOptions) => {
    const key = await openKey(database, projectId, options)
    const last_used_at = new Date(Date.now() - MINUTE_MS)
    await database
      .updateTable('api_keys')
      .set({ name, last_used_at })
      .where('id', '=', key.id)
      .execute()
    return key
  }
  const keys = [
    await open('search-production', search, { expiresAt: later }),
    await open('support-bot', support, { expiresAt: soon }),
    await open('notebooks', base, { accountId: owner.accountId }),
    await open('ci', base, { expiresAt: later }),
  ]
  await openMembers(web, id)
  await changeFunds(database, {
    organizationId: id,
    amount: GRANTED_MICRO,
    kind: 'grant',
    reference: 'INV-2026-0117',
    madeBy: 'op@mill.example',
    reason: 'Prepayment for the fourth quarter',
  })
  const now = Date.now()
  await createPartitions(pool, 'usage_records', dayOf(now - DAYS * DAY_MS), dayOf(now))
  const usage = usageUntil(now, id, keys, [search, support, base, base])
  for (let from = 0; from < usage.length; from += POSTED_MAX)
    await post(web, usage.slice(from, from + POSTED_MAX))
  const today = usage.filter(({ record }) => dayOf(record.settledAtMs) === dayOf(now))
  const tokens = today.map(({ record }) => record.promptTokens + record.completionTokens)
  const counted = {
    requests_today: today.length,
    tokens_today: tokens.reduce((sum, each) => sum + each, 0),
  }
  await countLimits(web, id, { at: now, ...counted })
  return { organizationId: id, owner, key: keys[0]! }
}

/** The worker may hold the partition for a moment. */
async function post({ environment }: Web, usage: readonly LoggedUsage[]): Promise<void> {
  const isPosted = async () =>
    (await postUsage(environment.postgres.pool, usage)).partitions.size > 0
  await waitUntil('the worker to release the partition', isPosted, POST_TIMEOUT_MS)
}

/** As if this much of the minute were used now. */
export async function useMinute(web: Web, id: string, requests: number, tokens: number) {
  const debts = { request_debt: requests * MINUTE_MS, token_debt: tokens * MINUTE_MS }
  await countLimits(web, id, { at: Date.now(), ...debts })
}

async function countLimits({ environment }: Web, id: string, counts: Record<string, number>) {
  const fields = Object.entries(counts).flatMap(([name, value]) => [name, String(value)])
  await environment.valkey.call('HSET', [organizationKeys(id).limits, ...fields])
}

async function openOwner(web: Web, name: string, email: string): Promise<Person> {
  const person = await web.openPerson()
  await web.environment.postgres.database
    .updateTable('accounts')
    .set({ name, email })
    .where('id', '=', person.accountId)
    .execute()
  return { ...person, email }
}

async function openMembers(web: Web, organizationId: string): Promise<void> {
  const members = [
    ['Ben Sluis', 'ben@acme.example', 'admin'],
    ['Chiara Gola', 'chiara@acme.example', 'member'],
    ['Dev Rao', 'dev@acme.example', 'viewer'],
  ] as const
  for (const [name, email, role] of members) {
    const person = await web.openPerson({ organizationId, role })
    await web.environment.postgres.database
      .updateTable('accounts')
      .set({ name, email })
      .where('id', '=', person.accountId)
      .execute()
  }
}

/** Posted as the worker posts it, so that records, sums and the ledger agree. */
function usageUntil(
  nowMs: number,
  organizationId: string,
  keys: readonly Key[],
  projects: readonly string[],
): LoggedUsage[] {
  const random = createRandom(SEED)
  const start = Math.floor((nowMs - DAYS * DAY_MS) / HOUR_MS) * HOUR_MS
  const entries: LoggedUsage[] = []
  for (let hour = start; hour < nowMs; hour += HOUR_MS) {
    const hoursAgo = Math.floor((nowMs - hour) / HOUR_MS)
    const day = WEEK[Math.floor(hoursAgo / 24) % WEEK.length] ?? 1
    const requests = Math.round((RHYTHM[hoursAgo % RHYTHM.length] ?? 0) * day)
    for (let count = 0; count < requests; count += 1) {
      const settledAtMs = hour + random.between(0, HOUR_MS - 1)
      if (settledAtMs > nowMs - MINUTE_MS) continue
      // The first key makes half of the requests.
      const which = Math.max(0, random.between(-4, keys.length - 1))
      const prompt = random.between(180, 3_200)
      const completion = random.between(40, 900)
      const failed = random.between(1, 1_000) <= FAILED_SHARE * 1_000
      entries.push(
        logged(
          usageRecord({
            id: uuidV7(settledAtMs),
            organizationId,
            projectId: projects[which]!,
            credentialId: keys[which]!.id,
            accountId: null,
            model: random.between(1, 8) === 1 ? STRICT_MODEL : DEMO_MODEL,
            engine: 'local',
            price: PRICE,
            promptTokens: prompt,
            cachedTokens: which === 0 ? Math.floor(prompt * 0.6) : 0,
            completionTokens: completion,
            reasoningTokens: Math.floor(completion * 0.3),
            outcome: failed ? 'failed' : 'completed',
            basis: failed ? 'engine_partial' : 'engine',
            queuedMs: random.between(0, 120),
            firstTokenMs: random.between(180, 620),
            durationMs: random.between(900, 9_000),
            settledAtMs,
          }),
        ),
      )
    }
  }
  return entries
}
