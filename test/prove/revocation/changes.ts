import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { changeAccount } from '../../../src/store/tenants/accounts.ts'
import { storeAllowedNetworks } from '../../../src/store/tenants/allowed-networks.ts'
import { revokeApiKey } from '../../../src/store/tenants/api-keys.ts'
import { changeMember } from '../../../src/store/tenants/memberships.ts'
import {
  changeOrganization,
  type OrganizationChanges,
} from '../../../src/store/tenants/organizations.ts'
import { archiveProject } from '../../../src/store/tenants/projects.ts'
import type { RaisedVersion } from '../../../src/store/tenants/versions.ts'
import { ask } from '../../harness/processes/console.ts'
import { DEMO_MODEL, limitsOf } from '../../harness/environment.ts'
import { codeOf, type Exchange, type Sent } from '../../harness/clients/http-client.ts'
import {
  join,
  openAccount,
  openKey,
  openOrganization,
  type Key,
} from '../../harness/seed/tenants.ts'

type Database = Postgres['database']

/** A change of what a caller may do, while the caller is sending requests. */
export type Change = {
  readonly name: string
  readonly sent: Omit<Sent, 'authorization'>
  /** Whether an answer is one to a caller before the change, or after it. */
  isOld(answer: Exchange): boolean
  isNew(answer: Exchange): boolean
  /** Whether the caller's key belongs to a member, and not to the organization as a whole. */
  readonly byMember: boolean
  /** Whether another key of the organization goes on working. */
  readonly sparesOthers: boolean
  apply(database: Database, target: Target): Promise<{ raised: readonly RaisedVersion[] }>
}

/** A caller in an organization of its own. */
export type Target = {
  readonly organizationId: string
  readonly projectId: string
  readonly accountId: string
  readonly key: Key
  readonly otherKey: string
}

const LIMIT_BEFORE = 900_000_000
const LIMIT_AFTER = 800_000_000
const OWN_LIMIT = 700_000_000

export const PLANS = {
  before: { models: 'all', limits: limitsOf({ requests_per_minute: LIMIT_BEFORE }) },
  after: { models: [DEMO_MODEL], limits: limitsOf({ requests_per_minute: LIMIT_AFTER }) },
} as const

/** Admitted and then rejected for its parameter, so that no engine is needed. */
const BAD_CHAT = {
  method: 'POST',
  path: '/chat/completions',
  body: JSON.stringify({
    model: DEMO_MODEL,
    messages: [{ role: 'user', content: 'Hi' }],
    unlisted: 1,
  }),
} as const

export async function openTarget(database: Database, { byMember }: Change): Promise<Target> {
  const { id: organizationId, projectId } = await openOrganization(database, 'before')
  const accountId = await openAccount(database)
  await join(database, organizationId, accountId)
  const key = await openKey(database, projectId, byMember ? { accountId } : {})
  const { text: otherKey } = await openKey(database, projectId)
  return { organizationId, projectId, accountId, key, otherKey }
}

function rejected(status: number, code: string) {
  return (answer: Exchange) => answer.status === status && codeOf(answer) === code
}

/** An answer to GET /models under a limit, with so many models. */
function listed(limit: number, models: number) {
  return ({ status, headers, text }: Exchange) =>
    status === 200 &&
    Number(headers['x-ratelimit-limit-requests']) === limit &&
    (JSON.parse(text) as { data: unknown[] }).data.length === models
}

const LISTED = {
  sent: { method: 'GET', path: '/models' },
  isOld: listed(LIMIT_BEFORE, 2),
  byMember: false,
  sparesOthers: true,
} as const

function changesTo(changes: OrganizationChanges) {
  return {
    byMember: false,
    apply: (database: Database, { organizationId }: Target) =>
      changeOrganization(database, organizationId, changes),
    sparesOthers: false,
  }
}

export const KEY_REVOKED: Change = {
  ...LISTED,
  name: 'key revoked',
  isNew: rejected(401, 'invalid_api_key'),
  apply: (database, { key }) => revokeApiKey(database, key),
}

/** Somebody sends the secret of the key to a console, which announces the revocation itself. */
export function secretReported(managementRoot: string): Change {
  const report = async (_database: Database, { key }: Target) => {
    const body = { secret: key.text }
    const { status, text } = await ask(managementRoot, 'POST', '/revoked-keys', { body })
    if (status !== 202) throw new Error(`the secret was answered with ${status} ${text}`)
    return { raised: [] }
  }
  return { ...KEY_REVOKED, name: 'secret reported', apply: report }
}

export const CHANGES: readonly Change[] = [
  KEY_REVOKED,
  {
    ...LISTED,
    name: 'member removed',
    byMember: true,
    isNew: rejected(403, 'organization_membership_required'),
    apply: (database, target) => changeMember(database, target, { state: 'removed' }),
  },
  {
    ...LISTED,
    name: 'account restricted',
    byMember: true,
    isNew: rejected(403, 'account_restricted'),
    apply: (database, { accountId }) => changeAccount(database, accountId, { state: 'restricted' }),
  },
  {
    ...LISTED,
    name: 'project archived',
    isNew: rejected(401, 'invalid_api_key'),
    sparesOthers: false,
    apply: (database, { projectId, organizationId }) =>
      archiveProject(database, { id: projectId, organization_id: organizationId }),
  },
  {
    ...LISTED,
    ...changesTo({ plan: 'after' }),
    name: 'plan changed',
    isNew: listed(LIMIT_AFTER, 1),
  },
  {
    ...LISTED,
    ...changesTo({ limits: { requestsPerMinute: OWN_LIMIT } }),
    name: 'limit changed',
    isNew: listed(OWN_LIMIT, 2),
  },
  {
    ...LISTED,
    name: 'networks changed',
    isNew: rejected(403, 'network_not_allowed'),
    sparesOthers: false,
    apply: (database, { organizationId }) =>
      database
        .transaction()
        .execute((transaction) => storeAllowedNetworks(transaction, organizationId, ['::1/128'])),
  },
  {
    ...LISTED,
    ...changesTo({ suspendedReason: 'abuse' }),
    name: 'organization suspended',
    isNew: rejected(403, 'organization_suspended'),
  },
  {
    ...changesTo({ billingState: 'exhausted' }),
    name: 'balance gone',
    sent: BAD_CHAT,
    isOld: rejected(400, 'unsupported_parameter'),
    isNew: rejected(402, 'insufficient_balance'),
  },
]
