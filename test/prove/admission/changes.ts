import { changeAccount } from '../../../src/store/tenants/accounts.ts'
import { revokeApiKey } from '../../../src/store/tenants/api-keys.ts'
import { changeMember } from '../../../src/store/tenants/memberships.ts'
import { changeOrganization } from '../../../src/store/tenants/organizations.ts'
import type { Postgres } from '../../../src/store/postgres/postgres.ts'
import { archiveProject } from '../../../src/store/tenants/projects.ts'
import type { RaisedVersion } from '../../../src/store/tenants/versions.ts'
import { codeOf, type Exchange, type Sent } from '../../harness/http-client.ts'
import {
  join,
  openAccount,
  openKey,
  openOrganization,
  type Organization,
} from '../../harness/tenants.ts'
import { limitsOf } from '../../harness/environment.ts'
import { MODEL, type Plan } from './replicas.ts'

type Database = Postgres['database']
type Raised = { readonly raised: readonly RaisedVersion[] }

/** A change of what a caller may do, while the caller is at work. */
export type Change = {
  readonly name: string
  /** A caller to whom it has not happened, with a colleague to whom it never will. */
  prepare(database: Database): Promise<Prepared>
  /** Whether an answer is that of a caller before the change, or after it. */
  isOld(answer: Exchange): boolean
  isNew(answer: Exchange): boolean
  readonly sent: Omit<Sent, 'authorization'>
}

export type Prepared = {
  readonly key: string
  /** A key of the same organization that the change does not concern, where there is one. */
  readonly colleague: string | undefined
  readonly apply: () => Promise<Raised>
}

const LIMIT_BEFORE = 900_000_000
const LIMIT_AFTER = 800_000_000
const LIMIT_OF_ITS_OWN = 700_000_000

export const PLANS: Readonly<Record<string, Plan>> = {
  before: { models: 'all', limits: limitsOf({ requests_per_minute: LIMIT_BEFORE }) },
  after: { models: [MODEL], limits: limitsOf({ requests_per_minute: LIMIT_AFTER }) },
}

const MODELS = { method: 'GET', path: '/models' } as const
/** Admitted and then refused for its parameter, so that no engine is needed. */
const BAD_CHAT = {
  method: 'POST',
  path: '/chat/completions',
  body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hi' }], unlisted: 1 }),
} as const

function modelsOf({ text }: Exchange): number {
  return (JSON.parse(text) as { data: unknown[] }).data.length
}

function limitOf({ headers }: Exchange): number {
  return Number(headers['x-ratelimit-limit-requests'])
}

function refusedWith(status: number, code: string) {
  return (answer: Exchange) => answer.status === status && codeOf(answer) === code
}

function isModels(answer: Exchange): boolean {
  return answer.status === 200 && modelsOf(answer) === 2 && limitOf(answer) === LIMIT_BEFORE
}

async function withColleague(
  database: Database,
  organization: Organization,
  key: string,
  apply: () => Promise<Raised>,
): Promise<Prepared> {
  return { key, colleague: (await openKey(database, organization.projectId)).text, apply }
}

async function openMember(database: Database) {
  const organization = await openOrganization(database, 'before')
  const accountId = await openAccount(database)
  await join(database, organization.id, accountId)
  const key = await openKey(database, organization.projectId, { accountId })
  return { organization, accountId, key }
}

export const KEY_REVOKED: Change = {
  name: 'key revoked',
  async prepare(database) {
    const organization = await openOrganization(database, 'before')
    const key = await openKey(database, organization.projectId)
    return withColleague(database, organization, key.text, () => revokeApiKey(database, key))
  },
  isOld: isModels,
  isNew: refusedWith(401, 'invalid_api_key'),
  sent: MODELS,
}

const MEMBER_REMOVED: Change = {
  name: 'member removed',
  async prepare(database) {
    const { organization, accountId, key } = await openMember(database)
    const membership = { organizationId: organization.id, accountId }
    return withColleague(database, organization, key.text, () =>
      changeMember(database, membership, { state: 'removed' }),
    )
  },
  isOld: isModels,
  isNew: refusedWith(403, 'organization_membership_required'),
  sent: MODELS,
}

const ACCOUNT_RESTRICTED: Change = {
  name: 'account restricted',
  async prepare(database) {
    const { organization, accountId, key } = await openMember(database)
    return withColleague(database, organization, key.text, () =>
      changeAccount(database, accountId, { state: 'restricted' }),
    )
  },
  isOld: isModels,
  isNew: refusedWith(403, 'account_restricted'),
  sent: MODELS,
}

const PROJECT_ARCHIVED: Change = {
  name: 'project archived',
  async prepare(database) {
    const { id, projectId } = await openOrganization(database, 'before')
    const { text: key } = await openKey(database, projectId)
    const project = { id: projectId, organization_id: id }
    return { key, colleague: undefined, apply: () => archiveProject(database, project) }
  },
  isOld: isModels,
  isNew: refusedWith(401, 'invalid_api_key'),
  sent: MODELS,
}

function organizationChange(
  change: Pick<Change, 'name' | 'isOld' | 'isNew' | 'sent'>,
  changes: Parameters<typeof changeOrganization>[2],
): Change {
  return {
    ...change,
    async prepare(database) {
      const { id, projectId } = await openOrganization(database, 'before')
      const { text: key } = await openKey(database, projectId)
      const apply = () => changeOrganization(database, id, changes)
      return { key, colleague: undefined, apply }
    },
  }
}

export const CHANGES: readonly Change[] = [
  KEY_REVOKED,
  MEMBER_REMOVED,
  ACCOUNT_RESTRICTED,
  PROJECT_ARCHIVED,
  organizationChange(
    {
      name: 'plan changed',
      isOld: isModels,
      isNew: (answer) =>
        answer.status === 200 && modelsOf(answer) === 1 && limitOf(answer) === LIMIT_AFTER,
      sent: MODELS,
    },
    { plan: 'after' },
  ),
  organizationChange(
    {
      name: 'limit changed',
      isOld: isModels,
      isNew: (answer) => answer.status === 200 && limitOf(answer) === LIMIT_OF_ITS_OWN,
      sent: MODELS,
    },
    { limits: { requestsPerMinute: LIMIT_OF_ITS_OWN } },
  ),
  organizationChange(
    {
      name: 'balance gone',
      isOld: refusedWith(400, 'unsupported_parameter'),
      isNew: refusedWith(402, 'insufficient_balance'),
      sent: BAD_CHAT,
    },
    { billingState: 'exhausted' },
  ),
]
