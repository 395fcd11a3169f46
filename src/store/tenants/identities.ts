import type { Pool } from 'pg'
import { createNetworks } from '../../lib/addresses/networks.ts'
import type {
  AccountState,
  BillingState,
  Identity,
  IdentityCredential,
  MembershipState,
} from '../../tenancy/identity.ts'
import type { KeyLimits } from '../../tenancy/key-limits.ts'
import type { PlaygroundClaims } from '../../tenancy/playground-credential.ts'
import type { ContributorTerms, Retention } from '../../tenancy/retention.ts'
import type { Role } from '../../tenancy/role.ts'
import type { OrganizationRow } from '../postgres/tables.ts'

// The only statements on the request path. They are prepared, so that PostgreSQL parses and plans
// them once per connection and one round trip is enough. Each reads one or many callers, so that a
// process without a cache meets thousands of them with few queries.

const COLUMNS = `
  projects.id as project_id,
  projects.archived_at is not null as project_archived,
  projects.spending_limit,
  case when projects.spending_limit is null then 0 else (
    select coalesce(sum(usage_daily.cost), 0)::bigint from usage_daily
    where usage_daily.project_id = projects.id
      and usage_daily.day >= date_trunc('month', now() at time zone 'utc')::date
  ) end as project_spent,
  organizations.id as organization_id,
  organizations.plan,
  organizations.requests_per_minute,
  organizations.requests_per_day,
  organizations.tokens_per_minute,
  organizations.tokens_per_day,
  organizations.retention,
  organizations.contributor_terms_version,
  organizations.contributor_terms_accepted_at,
  organizations.contributor_terms_accepted_by,
  organizations.billing_state,
  organizations.overdue_month,
  organizations.allowed_networks,
  organizations.suspended_at is not null as suspended,
  organizations.version,
  coalesce(funds.credits - funds.debits, 0) as granted,
  coalesce(used.debits - used.credits, 0) as spent,
  organizations.credit_limit,
  case when organizations.credit_limit is null then 0 else coalesce((
    select owed.debits - owed.credits from ledger_accounts owed
    where owed.id = 'receivable:' || organizations.id
  ), 0) end as receivable,
  accounts.id as account_id,
  accounts.state as account_state,
  accounts.registered_at is not null as account_registered,
  memberships.role as membership_role,
  memberships.state as membership_state`

const LEDGER_JOINS = `left join ledger_accounts funds on funds.id = 'funds:' || organizations.id
  left join ledger_accounts used on used.id = 'usage:' || organizations.id`

// One lookup per day and key by the primary key of the roll-up, however many keys the organization
// has: as a subquery in the list it cannot become a scan of the month. A day more than there is,
// because the clock of a host may be ahead.
const KEY_SPENT = `
  select coalesce(sum((
    select sum(usage_daily.cost) from usage_daily
    where usage_daily.organization_id = organizations.id
      and usage_daily.day = given.day::date
      and usage_daily.project_id = projects.id
      and usage_daily.credential_id = counted.id
  )), 0)::bigint
  from generate_series(
    date_trunc('month', now() at time zone 'utc'), now() at time zone 'utc' + '1 day', '1 day'
  ) as given (day)
  cross join (
    select coalesce(api_keys.limits_id, api_keys.id) as id
    union all
    select shared.id from api_keys shared
    where shared.limits_id = coalesce(api_keys.limits_id, api_keys.id)
  ) counted`

const OF_KEYS = `
  select
    api_keys.hash,
    api_keys.id as credential_id,
    api_keys.expires_at,
    api_keys.revoked_at,
    api_keys.models,
    api_keys.ignored_parameters,
    coalesce(api_keys.limits_id, api_keys.id) as limits_id,
    api_keys.requests_per_minute as key_requests_per_minute,
    api_keys.spending_limit as key_spending_limit,
    case when api_keys.spending_limit is null then 0 else (${KEY_SPENT}) end as key_spent,
    to_char(now() at time zone 'utc', 'YYYYMM')::int as month,${COLUMNS}
  from api_keys
  join projects on projects.id = api_keys.project_id
  join organizations on organizations.id = projects.organization_id
  left join accounts on accounts.id = api_keys.created_by
  left join memberships
    on memberships.organization_id = organizations.id and memberships.account_id = accounts.id
  ${LEDGER_JOINS}
  where organizations.deleted_at is null`

// PostgreSQL keeps the plan of a prepared statement only if it looks no dearer than a plan for the
// values at hand. For an array it expects ten rows, so a single key in an array would be planned
// again with every read, which takes ten times as long as reading it.
const BY_KEY_HASH = `${OF_KEYS} and api_keys.hash = $1`
const BY_KEY_HASHES = `${OF_KEYS} and api_keys.hash = any($1)`

const FOR_PLAYGROUND = `
  select asked.at,${COLUMNS}
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality
    as asked (project_id, organization_id, account_id, at)
  join projects
    on projects.id = asked.project_id and projects.organization_id = asked.organization_id
  join organizations on organizations.id = projects.organization_id
  join accounts on accounts.id = asked.account_id
  left join memberships
    on memberships.organization_id = organizations.id and memberships.account_id = accounts.id
  ${LEDGER_JOINS}
  where organizations.deleted_at is null`

type IdentityRow = {
  readonly project_id: string
  readonly project_archived: boolean
  readonly spending_limit: number | null
  readonly project_spent: number
  readonly organization_id: string
  readonly plan: string
  readonly requests_per_minute: number | null
  readonly requests_per_day: number | null
  readonly tokens_per_minute: number | null
  readonly tokens_per_day: number | null
  readonly retention: Retention
  readonly contributor_terms_version: string | null
  readonly contributor_terms_accepted_at: Date | null
  readonly contributor_terms_accepted_by: string | null
  readonly billing_state: BillingState
  readonly overdue_month: string | null
  readonly allowed_networks: string[]
  readonly suspended: boolean
  readonly version: number
  readonly granted: number
  readonly spent: number
  readonly credit_limit: number | null
  readonly receivable: number
  readonly account_id: string | null
  readonly account_state: AccountState | null
  readonly account_registered: boolean
  readonly membership_role: Role | null
  readonly membership_state: MembershipState | null
}

type KeyIdentityRow = IdentityRow & {
  readonly hash: Buffer
  readonly credential_id: string
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly models: string[] | null
  readonly ignored_parameters: string[]
  readonly limits_id: string
  readonly key_requests_per_minute: number | null
  readonly key_spending_limit: number | null
  readonly key_spent: number
  readonly month: number
}

/**
 * In the order of the hashes; undefined where no key has it. Finds revoked and expired keys too;
 * the caller checks.
 */
export async function findByKeyHashes(
  pool: Pool,
  hashes: readonly Buffer[],
): Promise<readonly (Identity | undefined)[]> {
  const { rows } = await pool.query<KeyIdentityRow>(
    hashes.length === 1
      ? { name: 'identity-by-key-hash', text: BY_KEY_HASH, values: [hashes[0]] }
      : { name: 'identities-by-key-hash', text: BY_KEY_HASHES, values: [hashes] },
  )
  const found = new Map(rows.map((row) => [row.hash.toString('hex'), row]))
  return hashes.map((hash) => {
    const row = found.get(hash.toString('hex'))
    return row && identityFrom(row, keyFrom(row))
  })
}

export async function findByKeyHash(pool: Pool, hash: Buffer): Promise<Identity | undefined> {
  return (await findByKeyHashes(pool, [hash]))[0]
}

function keyFrom(row: KeyIdentityRow): IdentityCredential {
  return {
    kind: 'api_key',
    id: row.credential_id,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    models: row.models === null ? null : new Set(row.models),
    ignoredParameters: row.ignored_parameters,
    limits: keyLimitsFrom(row),
  }
}

function keyLimitsFrom(row: KeyIdentityRow): KeyLimits | null {
  const requestsPerMinute = row.key_requests_per_minute
  const spendingLimit = row.key_spending_limit
  const expiresAtMs = row.expires_at?.getTime() ?? null
  if (expiresAtMs === null && requestsPerMinute === null && spendingLimit === null) return null
  const limits = { expiresAtMs, requestsPerMinute, spendingLimit }
  return { id: row.limits_id, ...limits, spent: row.key_spent, month: row.month }
}

/**
 * In the order of the claims; undefined where the account or project does not exist, or the project
 * is another organization's.
 */
export async function findForPlayground(
  pool: Pool,
  claims: readonly PlaygroundClaims[],
): Promise<readonly (Identity | undefined)[]> {
  const { rows } = await pool.query<IdentityRow & { readonly at: number }>({
    name: 'identity-for-playground',
    text: FOR_PLAYGROUND,
    values: [
      claims.map(({ projectId }) => projectId),
      claims.map(({ organizationId }) => organizationId),
      claims.map(({ accountId }) => accountId),
    ],
  })
  const found = new Map(rows.map((row) => [row.at - 1, row]))
  return claims.map(({ id, expiresAt }, at) => {
    const row = found.get(at)
    return row && identityFrom(row, { kind: 'playground', id, expiresAt })
  })
}

function identityFrom(row: IdentityRow, credential: IdentityCredential): Identity {
  return {
    credential,
    project: {
      id: row.project_id,
      archived: row.project_archived,
      spendingLimit: row.spending_limit,
      spent: row.project_spent,
    },
    organization: {
      id: row.organization_id,
      plan: row.plan,
      limitOverrides: {
        requestsPerMinute: row.requests_per_minute,
        requestsPerDay: row.requests_per_day,
        tokensPerMinute: row.tokens_per_minute,
        tokensPerDay: row.tokens_per_day,
      },
      retention: row.retention,
      terms: termsFrom(row),
      billingState: row.billing_state,
      overdueMonth: row.overdue_month,
      suspended: row.suspended,
      allowedNetworks:
        row.allowed_networks.length === 0 ? null : createNetworks(row.allowed_networks),
      version: row.version,
      granted: row.granted,
      spent: row.spent,
      creditLimit: row.credit_limit,
      receivable: row.receivable,
    },
    account:
      row.account_id === null || row.account_state === null
        ? null
        : { id: row.account_id, state: row.account_state, registered: row.account_registered },
    membership:
      row.membership_role === null || row.membership_state === null
        ? null
        : { role: row.membership_role, state: row.membership_state },
  }
}

/** The contributor terms that an organization has accepted. */
export function termsFrom(
  row: Pick<
    OrganizationRow,
    'contributor_terms_version' | 'contributor_terms_accepted_at' | 'contributor_terms_accepted_by'
  >,
): ContributorTerms | null {
  const version = row.contributor_terms_version
  const acceptedAt = row.contributor_terms_accepted_at
  const acceptedBy = row.contributor_terms_accepted_by
  if (version === null || acceptedAt === null || acceptedBy === null) return null
  return { version, acceptedAt, acceptedBy }
}
