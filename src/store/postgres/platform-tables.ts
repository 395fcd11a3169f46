import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely'
import type { Role } from '../../tenancy/role.ts'

// The columns of people, sessions, invitations, management keys and the audit log: see tables.ts.

type Fixed<Value> = ColumnType<Value, Value, never>
type CreatedAt = ColumnType<Date, Date | undefined, never>

type PasswordsTable = {
  account_id: Fixed<string>
  phc: string
  changed_at: Generated<Date>
}

type FirstSignInsTable = {
  account_id: Fixed<string>
  at: CreatedAt
}

type PasskeysTable = {
  credential_id: Fixed<string>
  account_id: Fixed<string>
  public_key: Fixed<Buffer>
  counter: number
  backed_up: boolean
  transports: Generated<string[]>
  name: string
  created_at: CreatedAt
  last_used_at: Date | null
}

type OneTimeFactorsTable = {
  account_id: Fixed<string>
  sealed: Buffer
  last_step: Generated<number>
  confirmed_at: Date | null
  created_at: CreatedAt
}

type RecoveryCodesTable = {
  account_id: Fixed<string>
  hash: Fixed<Buffer>
  created_at: CreatedAt
  used_at: Date | null
}

type SessionsTable = {
  id: Fixed<string>
  token_hash: Buffer
  account_id: Fixed<string>
  created_at: CreatedAt
  seen_at: Generated<Date>
  ends_at: Date
  idle_minutes: number
  confirmed_at: Generated<Date>
  methods: string[]
  incomplete: Generated<boolean>
  user_agent: string | null
  address_prefix: string | null
  /** The connection, a colon, and the provider's name of its session. */
  sso_sid: Generated<string | null>
}

export type MailTokenKind = 'verify' | 'reset' | 'change' | 'sign_in'

type MailTokensTable = {
  hash: Fixed<Buffer>
  kind: Fixed<MailTokenKind>
  account_id: Fixed<string>
  email: Fixed<string | null>
  network: Fixed<string | null>
  created_at: CreatedAt
  ends_at: Date
  used_at: Date | null
}

type InvitationsTable = {
  id: Fixed<string>
  organization_id: Fixed<string>
  email: Fixed<string>
  role: Role
  token_hash: Buffer
  /** The link of this token was sent to the address, and shown to nobody else. */
  emailed: Generated<boolean>
  invited_by: Fixed<string | null>
  management_key_id: ColumnType<string | null, string | null | undefined, never>
  by_operator: Generated<boolean>
  created_at: CreatedAt
  ends_at: Date
  accepted_at: Date | null
  withdrawn_at: Date | null
}

type ChallengesTable = {
  hash: Fixed<Buffer>
  kind: Fixed<string>
  account_id: Fixed<string | null>
  data: Fixed<Buffer>
  ends_at: Fixed<Date>
}

type SsoConnectionsTable = {
  id: Fixed<string>
  organization_id: Fixed<string>
  name: string
  issuer: string
  client_id: string
  sealed_secret: Buffer
  default_role: Exclude<Role, 'owner'>
  created_at: CreatedAt
}

type SsoDomainsTable = {
  id: Fixed<string>
  organization_id: Fixed<string>
  domain: Fixed<string>
  challenge: Fixed<string>
  created_at: CreatedAt
  verified_at: Date | null
  /** When its record was last looked up. */
  checked_at: Generated<Date>
  /** Look-ups in a row that found no record. */
  misses: Generated<number>
}

type SsoIdentitiesTable = {
  connection_id: Fixed<string>
  subject: Fixed<string>
  account_id: Fixed<string>
  created_at: CreatedAt
}

type ManagementKeysTable = {
  id: Fixed<string>
  organization_id: Fixed<string | null>
  name: string
  hash: Fixed<Buffer>
  prefix: Fixed<string>
  last4: Fixed<string>
  scopes: Fixed<string[]>
  created_by: Fixed<string>
  created_at: CreatedAt
  expires_at: Fixed<Date>
  revoked_at: Date | null
  last_used_at: Date | null
}

type SupportAccessTable = {
  id: Fixed<string>
  organization_id: Fixed<string>
  granted_by: Fixed<string>
  reason: Fixed<string | null>
  created_at: CreatedAt
  ends_at: Date
  ended_at: Date | null
}

type RequestLinksTable = {
  id: Fixed<string>
  organization_id: Fixed<string>
  request_id: Fixed<string>
  token_hash: Fixed<Buffer>
  created_by: Fixed<string>
  created_at: CreatedAt
  ends_at: Date
}

/** Field → before and after. */
export type AuditChanges = Readonly<Record<string, readonly [before: unknown, after: unknown]>>

type AuditEventsTable = {
  made_at: CreatedAt
  id: Fixed<string>
  organization_id: Fixed<string | null>
  actor_kind: Fixed<string>
  actor_id: Fixed<string | null>
  actor_label: Fixed<string>
  action: Fixed<string>
  target_kind: Fixed<string>
  target_id: Fixed<string>
  target_label: Fixed<string | null>
  changes: JSONColumnType<AuditChanges, string, never>
  request_id: Fixed<string | null>
}

type AuditStreamsTable = {
  id: Fixed<string>
  organization_id: Fixed<string | null>
  url: string
  sealed_secret: Buffer
  created_at: CreatedAt
  next_at: Generated<Date>
  failures: Generated<number>
  failing_since: Date | null
  last_error: string | null
  delivered: Generated<number>
  delivered_at: Date | null
  paused_at: Date | null
}

type AnnouncementsTable = {
  organization_id: Fixed<string>
  version: number
  created_at: CreatedAt
}

export type EngineOrdersTable = {
  engine: Fixed<string>
  state: Fixed<'draining' | 'disabled'>
  ordered_at: CreatedAt
  ordered_by: Fixed<string>
  note: Fixed<string | null>
}

type EngineOrdersVersionTable = { id: Generated<true>; version: number }

type SpendingAlertsTable = {
  id: Fixed<string>
  organization_id: Fixed<string>
  project_id: Fixed<string | null>
  thresholds: number[]
  emails: Generated<string[]>
  webhook_url: string | null
  webhook_secret: Buffer | null
  updated_at: Generated<Date>
  version: Generated<number>
  checked_month: string | null
  checked_spent: number | null
  checked_total: number | null
}

type SentAlertsTable = {
  alert_id: Fixed<string>
  month: Fixed<string>
  threshold: Fixed<number>
  spent: Fixed<number>
  reached_at: CreatedAt
  attempts: Generated<number>
  next_at: Generated<Date>
  sent_at: Date | null
  delivered: Generated<string[]>
  given_up_at: Date | null
}

type IdempotencyKeysTable = {
  actor: Fixed<string>
  key: Fixed<string>
  route: Fixed<string>
  body_hash: Fixed<Buffer>
  status: number | null
  answer: JSONColumnType<object, string | null, string | null> | null
  own: ColumnType<boolean, boolean | undefined, never>
  created_at: CreatedAt
}

export type PlatformTables = {
  passwords: PasswordsTable
  first_sign_ins: FirstSignInsTable
  passkeys: PasskeysTable
  one_time_factors: OneTimeFactorsTable
  recovery_codes: RecoveryCodesTable
  sessions: SessionsTable
  mail_tokens: MailTokensTable
  invitations: InvitationsTable
  challenges: ChallengesTable
  sso_connections: SsoConnectionsTable
  sso_domains: SsoDomainsTable
  sso_identities: SsoIdentitiesTable
  management_keys: ManagementKeysTable
  support_access: SupportAccessTable
  request_links: RequestLinksTable
  audit_events: AuditEventsTable
  audit_streams: AuditStreamsTable
  announcements: AnnouncementsTable
  engine_orders: EngineOrdersTable
  engine_orders_version: EngineOrdersVersionTable
  spending_alerts: SpendingAlertsTable
  sent_alerts: SentAlertsTable
  idempotency_keys: IdempotencyKeysTable
}

export type SessionRow = Selectable<SessionsTable>
export type InvitationRow = Selectable<InvitationsTable>
export type ManagementKeyRow = Selectable<ManagementKeysTable>
export type AuditEventRow = Selectable<AuditEventsTable>
export type AuditStreamRow = Selectable<AuditStreamsTable>
export type SupportAccessRow = Selectable<SupportAccessTable>
export type RequestLinkRow = Selectable<RequestLinksTable>
export type SpendingAlertRow = Selectable<SpendingAlertsTable>
