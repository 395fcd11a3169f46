import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'
import { uuidV7 } from '../../../src/lib/uuid.ts'
import { postUsage } from '../../../src/store/ledger/usage-records.ts'
import { createProject } from '../../../src/store/tenants/projects.ts'
import { openRefusals } from '../../../src/store/usage/refusals.ts'
import type { UsageRecord } from '../../../src/tenancy/usage-record.ts'
import { openPerson, type Person } from '../../harness/processes/console.ts'
import type { Environment } from '../../harness/environment.ts'
import type { Random } from '../../harness/figures/random.ts'
import { openKey, openOrganization } from '../../harness/seed/tenants.ts'
import { logged, usageRecord } from '../../harness/seed/usage-records.ts'

export type Seeded = {
  readonly organizationId: string
  readonly slug: string
  readonly owner: Person
  readonly records: readonly UsageRecord[]
  readonly refusals: number
}

/** One more than there are colours for, so that two share "others". */
const MODELS = [
  'acme/large-3',
  'acme/small',
  ...['a', 'b', 'c', 'd', 'e', 'f'].map((m) => `x/${m}`),
]
const OUTCOMES = ['completed', 'completed', 'completed', 'failed', 'abandoned', 'lost'] as const
const CODES = ['rate_limit_exceeded', 'context_length_exceeded', 'insufficient_balance'] as const
const CHECKED = [
  { name: 'requestsPerMinute', needed: 1, left: 104, of: 120 },
  { name: 'tokensPerMinute', needed: 12_400, left: 3_100, of: 60_000 },
  { name: 'requestsPerDay', needed: 1, left: 7_549, of: 10_000 },
  { name: 'tokensPerDay', needed: 12_400, left: 6_966_814, of: 10_000_000 },
]
const LEAP_MIDNIGHTS = ['2028-02-28', '2028-02-29', '2028-03-01', '2028-03-02']
const DAYS_BACK = 30
const A_DAY = 4
const AT_MIDNIGHT = 12
const BATCH = 200

/** Usage of 30 days, most of it around midnights of UTC, and of a leap day to come. */
export async function seedFigures(environment: Environment, random: Random): Promise<Seeded> {
  const { database, pool } = environment.postgres
  const { id: organizationId, projectId } = await openOrganization(database, 'ample')
  const { slug } = await database
    .selectFrom('organizations')
    .select('slug')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const owner = await openPerson(environment.postgres, { organizationId, role: 'owner' })
  const other = await openPerson(environment.postgres, { organizationId, role: 'member' })
  const second = (await createProject(database, organizationId, 'support-bot')).id
  const users = await usersOf(environment, [projectId, second], [owner, other])
  const records = timesOf(random).map((atMs) =>
    recordAt(atMs, { organizationId, ...random.pick(users) }, random),
  )
  for (let at = 0; at < records.length; at += BATCH)
    await postUsage(pool, records.slice(at, at + BATCH).map(logged))
  const refusals = await refuse(environment, { organizationId, user: users[0]! }, random)
  return { organizationId, slug, owner, records, refusals }
}

type User = Pick<UsageRecord, 'projectId' | 'credentialId' | 'credentialKind' | 'accountId'>

/** A key of the organization, one of each person, and a person's playground. */
async function usersOf(
  { postgres: { database } }: Environment,
  projects: readonly [string, string],
  [one, other]: readonly [Person, Person],
): Promise<User[]> {
  const [first, second] = projects
  const shared = await openKey(database, first)
  const own = await openKey(database, first, { accountId: one.accountId })
  const theirs = await openKey(database, second, { accountId: other.accountId })
  const names = [
    [shared.id, 'shared'],
    [own.id, 'laptop'],
    [theirs.id, 'notebook'],
  ] as const
  for (const [id, name] of names)
    await database.updateTable('api_keys').set({ name }).where('id', '=', id).execute()
  const key = { credentialKind: 'api_key' } as const
  return [
    { ...key, projectId: first, credentialId: shared.id, accountId: null },
    { ...key, projectId: first, credentialId: own.id, accountId: one.accountId },
    { ...key, projectId: second, credentialId: theirs.id, accountId: other.accountId },
    {
      projectId: first,
      credentialId: one.accountId,
      credentialKind: 'playground',
      accountId: one.accountId,
    },
  ]
}

function timesOf(random: Random): number[] {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const past = Array.from({ length: DAYS_BACK * A_DAY }, () =>
    Math.min(
      Date.now(),
      today - random.between(0, DAYS_BACK - 1) * DAY_MS + random.between(0, DAY_MS),
    ),
  )
  const midnights = [today - DAY_MS, today, ...LEAP_MIDNIGHTS.map((day) => Date.parse(day))]
  const around = midnights.flatMap((midnight) => [
    midnight - 1,
    midnight,
    midnight + 1,
    ...Array.from(
      { length: AT_MIDNIGHT },
      () => midnight - HOUR_MS + random.between(0, 2 * HOUR_MS),
    ),
  ])
  return [...past, ...around].filter((atMs) => atMs <= Date.now() || atMs > today + DAY_MS)
}

function recordAt(atMs: number, who: User & { organizationId: string }, random: Random) {
  const promptTokens = 1 + random.between(0, 20_000)
  const completionTokens = random.between(0, 4_000)
  return usageRecord({
    ...who,
    id: uuidV7(atMs),
    model: random.pick(MODELS),
    outcome: random.pick(OUTCOMES),
    promptTokens,
    cachedTokens: random.between(0, promptTokens),
    completionTokens,
    reasoningTokens: random.between(0, completionTokens + 1),
    firstTokenMs: 100 + random.between(0, 900),
    durationMs: 1_000 + random.between(0, 20_000),
    queuedMs: random.between(0, 300),
    // Odd prices: every token shows in the last digits of a cost.
    price: { input: 600_007, cachedInput: 120_011, output: 2_400_013 },
    reserved: 10_000_000,
    settledAtMs: atMs + 1_000,
  })
}

async function refuse(
  { valkey }: Environment,
  { organizationId, user }: { readonly organizationId: string; readonly user: User },
  random: Random,
): Promise<number> {
  await using log = openRefusals(valkey)
  const { credentialKind, ...who } = user
  for (const [at, code] of CODES.entries())
    log.note({
      ...who,
      id: uuidV7(Date.now() - at * 60_000),
      organizationId,
      credentialKind: credentialKind ?? 'api_key',
      status: code === 'rate_limit_exceeded' ? 429 : code === 'insufficient_balance' ? 402 : 400,
      code,
      param: code === 'context_length_exceeded' ? 'messages' : null,
      model: MODELS[0]!,
      limits: code === 'rate_limit_exceeded' ? ['tokensPerMinute'] : [],
      checked: code === 'rate_limit_exceeded' ? CHECKED : [],
      retryAfterMs: code === 'rate_limit_exceeded' ? 1 + random.between(0, 20_000) : null,
    })
  return CODES.length
}
