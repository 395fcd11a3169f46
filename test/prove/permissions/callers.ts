import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { scopesOfRole } from '../../../src/tenancy/permissions.ts'
import {
  openManagementKey,
  openPerson,
  type Headers,
  type PersonFacts,
} from '../../harness/processes/console.ts'
import { issuePlayground } from '../../harness/clients/playground.ts'
import { openPlace, THINGS, type Place } from '../../harness/routes/things.ts'
import { storeScimToken } from '../../harness/servers/scim.ts'
import { openKey } from '../../harness/seed/tenants.ts'

/** Whoever calls: the headers, and the account whose things are the caller's own. */
export type Caller = { readonly as: Headers; readonly accountId: string }

type OpenCaller = (postgres: Postgres, place: Place, scope: string | null) => Promise<Caller>

/** Every kind of caller. Those who lack something have every role, so that it alone decides. */
export const CALLERS = {
  nobody: async (_postgres, { ownerId }) => ({ as: { origin: ORIGIN }, accountId: ownerId }),
  waiting: person({ role: 'owner', platformRole: 'operator', state: 'waiting' }),
  unregistered: person({ role: 'owner', platformRole: 'operator', registered: false }),
  restricted: person({ role: 'owner', platformRole: 'operator', state: 'restricted' }),
  removed: async (postgres, place) => {
    const found = await openPerson(postgres, { organizationId: place.organizationId })
    await postgres.database
      .updateTable('memberships')
      .set({ state: 'removed' })
      .where('account_id', '=', found.accountId)
      .execute()
    return found
  },
  viewer: person({ role: 'viewer' }),
  member: person({ role: 'member' }),
  'member, of another': person({ role: 'member' }),
  admin: person({ role: 'admin' }),
  owner: person({ role: 'owner' }),
  'owner elsewhere': async (postgres) => {
    const { organizationId } = await openPlace(postgres.database)
    return openPerson(postgres, { organizationId, role: 'owner' })
  },
  support: outsider({ platformRole: 'support' }),
  'support with consent': async (postgres, place) => {
    await THINGS['support-access']!(postgres.database, place, place.ownerId)
    return openPerson(postgres, { platformRole: 'support' })
  },
  operator: outsider({ platformRole: 'operator' }),
  'no second factor': person({ role: 'owner', platformRole: 'operator', incomplete: true }),
  unconfirmed: person({ role: 'owner', platformRole: 'operator', confirmed: false }),
  'key with the scope': key((scope) => [scope ?? 'keys:read']),
  'key with every scope': key(() => scopesOfRole('owner')),
  'key with another scope': key(otherThan),
  'key that expired': key((scope) => [scope ?? 'keys:read'], { expired: true }),
  'key of another organization': async (postgres, _place, scope) =>
    key((given) => [given ?? 'keys:read'])(postgres, await openPlace(postgres.database), scope),
  'platform key': async (postgres, _place, scope) => {
    const { accountId } = await openPerson(postgres, { platformRole: 'operator' })
    const facts = { createdBy: accountId, organizationId: null, scopes: [scope ?? 'platform:read'] }
    return { as: await openManagementKey(postgres, facts), accountId }
  },
  'API key': async ({ database }, { projectId, ownerId }) => {
    const { text } = await openKey(database, projectId, { accountId: ownerId })
    return { as: { authorization: `Bearer ${text}` }, accountId: ownerId }
  },
  'playground credential': async (_postgres, { organizationId, projectId, ownerId }) => {
    const credential = issuePlayground({ organizationId, projectId, accountId: ownerId })
    return { as: { authorization: `Bearer ${credential}` }, accountId: ownerId }
  },
  'SCIM token': async (postgres, place) => ({
    as: await openScimToken(postgres, place),
    accountId: place.ownerId,
  }),
  'cookie and key': async (postgres, place, scope) => {
    const { as, accountId } = await person({ role: 'owner' })(postgres, place, scope)
    const byKey = await key((given) => [given ?? 'keys:read'])(postgres, place, scope)
    return { as: { ...as, ...byKey.as }, accountId }
  },
} as const satisfies Record<string, OpenCaller>

export type CallerKind = keyof typeof CALLERS
export const CALLER_KINDS = Object.keys(CALLERS) as readonly CallerKind[]

const ORIGIN = 'http://localhost:8081'

/** A token of the organization, as an owner makes it. */
export async function openScimToken(
  postgres: Postgres,
  { organizationId, ownerId: accountId }: Place,
  { revoked = false } = {},
): Promise<Headers> {
  const owner = { organizationId, accountId }
  const token = await storeScimToken(postgres, owner, revoked ? new Date() : null)
  return { authorization: `Bearer ${token}` }
}

/** Somebody with a role in the organization. */
function person(facts: PersonFacts): OpenCaller {
  return (postgres, { organizationId }) => openPerson(postgres, { ...facts, organizationId })
}

/** Somebody without a membership. */
function outsider(facts: PersonFacts): OpenCaller {
  return (postgres) => openPerson(postgres, facts)
}

function key(
  scopesFor: (scope: string | null) => string[],
  facts: { readonly expired?: true } = {},
): OpenCaller {
  return async (postgres, { organizationId, ownerId }, scope) => {
    const made = { createdBy: ownerId, organizationId, scopes: scopesFor(scope), ...facts }
    return { as: await openManagementKey(postgres, made), accountId: ownerId }
  }
}

function otherThan(scope: string | null): string[] {
  return [scope === 'audit:read' ? 'keys:read' : 'audit:read']
}
