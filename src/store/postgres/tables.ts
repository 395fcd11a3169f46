import type { ColumnType, Generated, Selectable } from 'kysely'
import type { Language } from '../../contract/language.ts'
import type { AccountState, BillingState, MembershipState } from '../../tenancy/identity.ts'
import type { Retention } from '../../tenancy/retention.ts'
import type { PlatformRole, Role } from '../../tenancy/role.ts'
import type { PaymentTables } from './payment-tables.ts'
import type { PlatformTables } from './platform-tables.ts'
import type { ScimTables } from './scim-tables.ts'

// The columns of `migrations/`, for the type checker. Dates are read as Date, bigint as number
// (see postgres.ts).

type CreatedAt = ColumnType<Date, Date | undefined, never>

type AccountsTable = {
  id: ColumnType<string, string, never>
  email: string
  state: Generated<AccountState>
  registered_at: Date | null
  name: string | null
  email_verified_at: Date | null
  platform_role: PlatformRole | null
  terms_version: string | null
  terms_accepted_at: Date | null
  /** An invitation let the person in, and no operator has admitted them. */
  by_invitation: Generated<boolean>
  /** What the person wrote to the operator while waiting. */
  waiting_note: Generated<string | null>
  /** Null until the person has chosen one. */
  language: ColumnType<string | null, Language | undefined, Language | null>
  created_at: CreatedAt
  /** The row names nobody any more. */
  deleted_at: Generated<Date | null>
}

type OrganizationsTable = {
  id: ColumnType<string, string, never>
  slug: string
  name: string
  plan: string
  requests_per_minute: number | null
  requests_per_day: number | null
  tokens_per_minute: number | null
  tokens_per_day: number | null
  retention: Generated<Retention>
  contributor_terms_version: string | null
  contributor_terms_accepted_at: Date | null
  contributor_terms_accepted_by: string | null
  billing_state: Generated<BillingState>
  version: Generated<number>
  sso_only: Generated<boolean>
  second_factor_required: Generated<boolean>
  /** How long sessions of members may last; null for as long as the service allows. */
  session_hours: Generated<number | null>
  /** Where members and keys may call from; none means from anywhere. */
  allowed_networks: Generated<string[]>
  created_at: CreatedAt
  /** Both or neither: since when its credentials are refused, and the operator's reason. */
  suspended_at: Generated<Date | null>
  suspended_reason: Generated<string | null>
  /** What it may owe at most on a postpaid plan; null means any amount. */
  credit_limit: Generated<number | null>
  /** The month of an invoice that is unpaid for too long; set and cleared when it is read. */
  overdue_month: Generated<string | null>
  deleted_at: Generated<Date | null>
}

type MembershipsTable = {
  organization_id: ColumnType<string, string, never>
  account_id: ColumnType<string, string, never>
  role: Role
  state: Generated<MembershipState>
  created_at: CreatedAt
}

type ProjectsTable = {
  id: ColumnType<string, string, never>
  organization_id: ColumnType<string, string, never>
  name: string
  archived_at: Date | null
  spending_limit: number | null
  created_at: CreatedAt
}

type ApiKeysTable = {
  id: ColumnType<string, string, never>
  project_id: ColumnType<string, string, never>
  /** Cleared when the organization takes over the key of somebody who leaves. */
  created_by: ColumnType<string | null, string | null, null>
  name: string
  hash: ColumnType<Buffer, Buffer, never>
  prefix: ColumnType<string, string, never>
  last4: ColumnType<string, string, never>
  /** A trigger fills it. */
  organization_id: ColumnType<string, undefined, never>
  models: string[] | null
  requests_per_minute: number | null
  spending_limit: number | null
  held_limits: Generated<string[]>
  ignored_parameters: Generated<string[]>
  replaced_by: string | null
  /** Null for the key's own id. */
  limits_id: ColumnType<string | null, string | null | undefined, never>
  revoked_by: string | null
  revoke_reason: string | null
  created_at: CreatedAt
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

type LedgerAccountsTable = {
  id: ColumnType<string, string, never>
  organization_id: ColumnType<string | null, string | null, never>
  debits: Generated<number>
  credits: Generated<number>
}

/** Transfers of the kind `fee` are written and read by SQL alone: they are of no organization. */
export type TransferKind =
  | 'usage'
  | 'grant'
  | 'adjustment'
  | 'payment'
  | 'refund'
  | 'dispute'
  | 'expiry'
  | 'voucher'
  | 'invoice'

type TransfersTable = {
  id: ColumnType<string, string, never>
  debit_account: ColumnType<string, string, never>
  credit_account: ColumnType<string, string, never>
  amount: ColumnType<number, number, never>
  kind: ColumnType<TransferKind, TransferKind, never>
  reference: ColumnType<string, string, never>
  made_by: ColumnType<string | null, string | null, never>
  reason: ColumnType<string | null, string | null, never>
  made_at: CreatedAt
}

type VouchersTable = {
  id: ColumnType<string, string, never>
  code_hash: ColumnType<Buffer, Buffer, never>
  amount: ColumnType<number, number, never>
  organizations_max: ColumnType<number, number, never>
  redeemed: Generated<number>
  expires_at: ColumnType<Date | null, Date | null, never>
  credit_days: ColumnType<number | null, number | null, never>
  note: ColumnType<string | null, string | null, never>
  /** Null if a management key or the command line made it, which have a name. */
  made_by: ColumnType<string | null, string | null, never>
  made_by_name: ColumnType<string | null, string | null, never>
  made_at: CreatedAt
  revoked_at: ColumnType<Date | null, never, Date>
}

type VoucherRedemptionsTable = {
  voucher_id: ColumnType<string, string, never>
  organization_id: ColumnType<string, string, never>
  transfer_id: ColumnType<string, string, never>
  redeemed_by: ColumnType<string, string, never>
  redeemed_at: CreatedAt
}

type SignUpsTable = {
  hash: ColumnType<Buffer, Buffer, never>
  email: ColumnType<string, string, never>
  network: ColumnType<string, string, never>
  created_at: CreatedAt
  ends_at: ColumnType<Date, Date, never>
}

export type Tables = PlatformTables &
  PaymentTables &
  ScimTables & {
    sign_ups: SignUpsTable
    accounts: AccountsTable
    organizations: OrganizationsTable
    memberships: MembershipsTable
    projects: ProjectsTable
    api_keys: ApiKeysTable
    ledger_accounts: LedgerAccountsTable
    transfers: TransfersTable
    vouchers: VouchersTable
    voucher_redemptions: VoucherRedemptionsTable
  }

export type AccountRow = Selectable<AccountsTable>
export type OrganizationRow = Selectable<OrganizationsTable>
export type ProjectRow = Selectable<ProjectsTable>
export type TransferRow = Selectable<TransfersTable>
export type VoucherRow = Selectable<VouchersTable>
