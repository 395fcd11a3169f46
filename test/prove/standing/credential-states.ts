import { forEachLimited } from '../../../src/lib/for-each-limited.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { revokeApiKey } from '../../../src/store/tenants/api-keys.ts'
import { changeMember } from '../../../src/store/tenants/memberships.ts'
import { changeOrganization } from '../../../src/store/tenants/organizations.ts'
import { archiveProject, createProject } from '../../../src/store/tenants/projects.ts'
import {
  ACCOUNT_STATES,
  BILLING_STATES,
  type AccountState,
  type BillingState,
} from '../../../src/tenancy/identity.ts'
import { RETENTIONS, type Retention } from '../../../src/tenancy/retention.ts'
import { limitsOf } from '../../harness/environment.ts'
import { issuePlayground } from '../../harness/clients/playground.ts'
import { join, openAccount, openKey, openOrganization } from '../../harness/seed/tenants.ts'

/** Everything that decides how a credential is judged. */
export type Facts = ProjectFacts & {
  readonly kind: 'api_key' | 'playground'
  readonly credential: 'valid' | 'revoked' | 'expired'
  /** Null for a key that belongs to the organization as a whole. */
  readonly account: { readonly state: AccountState; readonly registered: boolean } | null
  readonly membership: Membership
}

type ProjectFacts = {
  readonly projectArchived: boolean
  readonly plan: PlanName
  readonly billing: BillingState
  readonly retention: Retention
}

export type State = {
  readonly facts: Facts
  readonly text: string
  readonly organizationId: string
}

const MEMBERSHIPS = ['active', 'removed', 'never'] as const
type Membership = (typeof MEMBERSHIPS)[number]

/** `gone` is in no configuration, as a plan that is no longer offered. */
const PLAN_NAMES = ['both-kinds', 'keys-only', 'playground-only', 'gone'] as const
type PlanName = (typeof PLAN_NAMES)[number]

export const PLANS = {
  'both-kinds': { models: 'all', limits: limitsOf() },
  'keys-only': { models: 'all', credentials: ['api_key'], limits: limitsOf() },
  'playground-only': { models: 'all', credentials: ['playground'], limits: limitsOf() },
} as const

/** The connections of the proof's pool. */
const AT_ONCE = 8

type Database = Postgres['database']
type Holder = Pick<Facts, 'membership'> & {
  readonly accountId: string
  readonly account: NonNullable<Facts['account']>
}
type Project = {
  readonly organizationId: string
  readonly projectId: string
  readonly facts: ProjectFacts
}

/** Opens every combination of the facts, each as a credential of its own. */
export async function openStates({ database }: Postgres): Promise<State[]> {
  const holders = await openHolders(database)
  const projects = await openProjects(database, holders)
  const states: State[] = []
  await forEachLimited(AT_ONCE, projects, async (project) => {
    states.push(...(await openKeys(database, project, holders)))
    for (const holder of holders) states.push(...issueCredentials(project, holder))
  })
  // Only now, because an archived project and a removed member get no keys.
  await forEachLimited(AT_ONCE, projects, async ({ organizationId, projectId, facts }) => {
    if (!facts.projectArchived) return
    await archiveProject(database, { id: projectId, organization_id: organizationId })
    for (const { accountId, membership } of holders)
      if (membership === 'removed')
        await changeMember(database, { organizationId, accountId }, { state: 'removed' })
  })
  return states
}

async function openHolders(database: Database): Promise<Holder[]> {
  const holders: Holder[] = []
  for (const membership of MEMBERSHIPS)
    for (const state of ACCOUNT_STATES)
      for (const registered of [true, false]) {
        const accountId = await openAccount(database, state, registered)
        holders.push({ accountId, account: { state, registered }, membership })
      }
  return holders
}

/** For each kind of organization a project that stays active and one to be archived. */
async function openProjects(database: Database, holders: readonly Holder[]): Promise<Project[]> {
  const kinds = PLAN_NAMES.flatMap((plan, first) =>
    BILLING_STATES.map((billing, second) => {
      // Every plan and every billing state meets every retention.
      const retention = RETENTIONS[(first + second) % RETENTIONS.length] ?? 'zero'
      return { plan, billing, retention }
    }),
  )
  const projects: Project[] = []
  await forEachLimited(AT_ONCE, kinds, async (kind) => {
    const { id: organizationId, projectId } = await openOrganization(database, kind.plan)
    const terms = { version: '2026-01', acceptedByAccountId: holders[0]!.accountId }
    await changeOrganization(database, organizationId, {
      billingState: kind.billing,
      retention: kind.retention,
      ...(kind.retention === 'contributor' ? { terms } : {}),
    })
    for (const { accountId, membership } of holders)
      if (membership !== 'never') await join(database, organizationId, accountId)
    const archived = await createProject(database, organizationId, 'archived')
    projects.push(
      { organizationId, projectId, facts: { ...kind, projectArchived: false } },
      { organizationId, projectId: archived.id, facts: { ...kind, projectArchived: true } },
    )
  })
  return projects
}

async function openKeys(
  database: Database,
  { organizationId, projectId, facts }: Project,
  holders: readonly Holder[],
): Promise<State[]> {
  const states: State[] = []
  const members = holders.filter(({ membership }) => membership !== 'never')
  for (const holder of [null, ...members])
    for (const credential of ['valid', 'revoked', 'expired'] as const) {
      const key = await openKey(database, projectId, {
        ...(holder === null ? {} : { accountId: holder.accountId }),
        ...(credential === 'expired' ? { expiresAt: new Date(Date.now() - 1_000) } : {}),
      })
      if (credential === 'revoked') await revokeApiKey(database, key)
      const { account = null, membership = 'never' } = holder ?? {}
      const own = { kind: 'api_key', credential, account, membership } as const
      states.push({ facts: { ...facts, ...own }, text: key.text, organizationId })
    }
  return states
}

function issueCredentials({ organizationId, projectId, facts }: Project, holder: Holder): State[] {
  const { accountId, account, membership } = holder
  return (['valid', 'expired'] as const).map((credential) => ({
    facts: { ...facts, kind: 'playground', credential, account, membership },
    text: issuePlayground(
      { organizationId, projectId, accountId },
      { expired: credential === 'expired' },
    ),
    organizationId,
  }))
}
