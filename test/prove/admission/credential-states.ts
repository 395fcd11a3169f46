import { revokeApiKey } from '../../../src/store/tenants/api-keys.ts'
import { changeMember } from '../../../src/store/tenants/memberships.ts'
import { changeOrganization } from '../../../src/store/tenants/organizations.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { archiveProject, createProject } from '../../../src/store/tenants/projects.ts'
import { ACCOUNT_STATES, BILLING_STATES } from '../../../src/tenancy/identity.ts'
import type { AccountState, BillingState } from '../../../src/tenancy/identity.ts'
import { RETENTIONS, type Retention } from '../../../src/tenancy/retention.ts'
import { forEachLimited } from '../../../src/lib/for-each-limited.ts'
import { join, openAccount, openKey, openOrganization } from '../../harness/tenants.ts'
import { issuePlayground } from '../../harness/playground.ts'
import { limitsOf } from '../../harness/environment.ts'
import { type Plan } from './replicas.ts'

/** Everything that decides how a credential is judged. */
export type Facts = {
  readonly kind: 'api_key' | 'playground'
  readonly credential: 'valid' | 'revoked' | 'expired'
  readonly projectArchived: boolean
  /** Null for a key that belongs to the organization as a whole. */
  readonly account: { readonly state: AccountState; readonly registered: boolean } | null
  readonly membership: Membership
  readonly plan: PlanName
  readonly billing: BillingState
  readonly retention: Retention
}

export type State = {
  readonly facts: Facts
  readonly text: string
  readonly organizationId: string
}

type Membership = 'active' | 'removed' | 'never'

/** The last is in no configuration, as a plan that was taken off the market. */
const PLAN_NAMES = ['both-kinds', 'keys-only', 'playground-only', 'gone'] as const
export type PlanName = (typeof PLAN_NAMES)[number]

export const PLANS: Readonly<Record<Exclude<PlanName, 'gone'>, Plan>> = {
  'both-kinds': { models: 'all', limits: limitsOf({}) },
  'keys-only': { models: 'all', credentials: ['api_key'], limits: limitsOf({}) },
  'playground-only': { models: 'all', credentials: ['playground'], limits: limitsOf({}) },
}

/** As many as the pool of the proof has connections. */
const AT_ONCE = 8

type Holder = {
  readonly id: string
  readonly account: NonNullable<Facts['account']>
  readonly membership: Membership
}

type Place = Pick<Facts, 'projectArchived' | 'plan' | 'billing' | 'retention'> & {
  readonly organizationId: string
  readonly projectId: string
}

/** Opens every combination of the facts, each as a credential of its own. */
export async function openStates({ database }: Postgres): Promise<State[]> {
  const holders = await openHolders(database)
  const places = await openPlaces(database, holders)
  const states: State[] = []
  await forEachLimited(AT_ONCE, places, async (place) => {
    states.push(...(await openKeys(database, place, holders)))
    for (const holder of holders) states.push(...openPlaygrounds(place, holder))
  })
  // Only now: a project takes no keys once it is archived, and a member that left makes none.
  await forEachLimited(AT_ONCE, places, async (place) => {
    if (!place.projectArchived) return
    await archiveProject(database, { id: place.projectId, organization_id: place.organizationId })
    for (const { id: accountId, membership } of holders) {
      const { organizationId } = place
      if (membership === 'removed')
        await changeMember(database, { organizationId, accountId }, { state: 'removed' })
    }
  })
  return states
}

async function openHolders(database: Postgres['database']): Promise<Holder[]> {
  const holders: Holder[] = []
  for (const membership of ['active', 'removed', 'never'] as const)
    for (const state of ACCOUNT_STATES)
      for (const registered of [true, false])
        holders.push({
          id: await openAccount(database, state, registered),
          account: { state, registered },
          membership,
        })
  return holders
}

/** Two projects of each kind of organization: one that will be archived and one that lives. */
async function openPlaces(database: Postgres['database'], holders: Holder[]): Promise<Place[]> {
  const kinds = PLAN_NAMES.flatMap((plan, first) =>
    BILLING_STATES.map((billing, second) => {
      // Every plan and every state of billing meets every retention.
      const retention = RETENTIONS[(first + second) % RETENTIONS.length] ?? 'zero'
      return { plan, billing, retention }
    }),
  )
  const places: Place[] = []
  await forEachLimited(AT_ONCE, kinds, async (kind) => {
    const { id: organizationId, projectId } = await openOrganization(database, kind.plan)
    const [consenting] = holders
    if (consenting === undefined) throw new Error('there are no holders')
    const consent = { version: '2026-01', acceptedByAccountId: consenting.id }
    await changeOrganization(database, organizationId, {
      billingState: kind.billing,
      retention: kind.retention,
      ...(kind.retention === 'contributor' ? { terms: consent } : {}),
    })
    for (const { id, membership } of holders)
      if (membership !== 'never') await join(database, organizationId, id)
    const archived = await createProject(database, organizationId, 'archived')
    places.push({ ...kind, organizationId, projectId, projectArchived: false })
    places.push({ ...kind, organizationId, projectId: archived.id, projectArchived: true })
  })
  return places
}

async function openKeys(
  database: Postgres['database'],
  place: Place,
  holders: readonly Holder[],
): Promise<State[]> {
  const states: State[] = []
  const members = holders.filter(({ membership }) => membership !== 'never')
  for (const holder of [null, ...members])
    for (const credential of ['valid', 'revoked', 'expired'] as const) {
      const key = await openKey(database, place.projectId, {
        ...(holder === null ? {} : { accountId: holder.id }),
        ...(credential === 'expired' ? { expiresAt: new Date(Date.now() - 1_000) } : {}),
      })
      if (credential === 'revoked') await revokeApiKey(database, key)
      const account = holder?.account ?? null
      const membership = holder?.membership ?? 'never'
      const facts = { ...factsOf(place), kind: 'api_key', credential, account, membership } as const
      states.push({ facts, text: key.text, organizationId: place.organizationId })
    }
  return states
}

function openPlaygrounds(place: Place, holder: Holder): State[] {
  return (['valid', 'expired'] as const).map((credential) => ({
    facts: {
      ...factsOf(place),
      kind: 'playground',
      credential,
      account: holder.account,
      membership: holder.membership,
    },
    text: issuePlayground(
      { ...place, accountId: holder.id },
      { expired: credential === 'expired' },
    ),
    organizationId: place.organizationId,
  }))
}

function factsOf({ projectArchived, plan, billing, retention }: Place) {
  return { projectArchived, plan, billing, retention }
}
