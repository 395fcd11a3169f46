// Written by web/generate-routes.ts from openapi/management.json.

type Nothing = Readonly<Record<never, never>>

export type SignIn = { readonly email: string; readonly password: string }

export type Session = { readonly id: string; readonly current: boolean; readonly created_at: string; readonly seen_at: string; readonly ends_at: string; readonly methods: readonly (string)[]; readonly user_agent: string | null; readonly address_prefix: string | null }

export type SignedIn = { readonly session: Session; readonly second_factor: 'complete' | 'required' | 'enrol' }

export type ErrorResponse = { readonly error: { readonly message: string; readonly type: 'invalid_request_error' | 'authentication_error' | 'billing_error' | 'permission_error' | 'rate_limit_error' | 'api_error' | 'upstream_unavailable_error'; readonly param: string | null; readonly code: 'invalid_json' | 'invalid_value' | 'unsupported_parameter' | 'unsupported_value' | 'context_length_exceeded' | 'missing_required_parameter' | 'malformed_http' | 'missing_api_key' | 'invalid_api_key' | 'insufficient_balance' | 'credit_limit_reached' | 'account_restricted' | 'platform_access_required' | 'onboarding_pending' | 'organization_membership_required' | 'organization_suspended' | 'plan_access_denied' | 'network_not_allowed' | 'model_not_found' | 'unsupported_endpoint' | 'unsupported_method' | 'request_timeout' | 'billing_conflict' | 'request_too_large' | 'unsupported_media_type' | 'rate_limit_exceeded' | 'headers_too_large' | 'internal_error' | 'upstream_credentials_rejected' | 'rate_limit_unavailable' | 'model_availability_unavailable' | 'infrastructure_rate_limit_exceeded' | 'service_unavailable' | 'unauthenticated' | 'invalid_management_key' | 'invalid_scim_token' | 'invalid_login' | 'second_factor_required' | 'confirmation_required' | 'role_required' | 'scope_required' | 'cross_origin' | 'invalid_voucher' | 'not_found' | 'already_exists' | 'already_created' | 'conflict' | 'last_owner' | 'plan_unknown' | 'precondition_failed' | 'too_many_attempts' | 'too_many_declines' | 'not_implemented' | 'change_not_propagated' | null } }

export type LinkUse = { readonly token: string }

export type Credential = { readonly id: string; readonly response: Nothing }

export type Confirmation = { readonly password?: string; readonly code?: string; readonly credential?: Credential }

export type SignUp = { readonly email: string; readonly password?: string; readonly invitation?: string; readonly language?: 'en' | 'de' | 'zh-CN' }

export type SignUpLink = { readonly email: string }

export type PasswordByLink = { readonly token: string; readonly password: string }

export type EmailChange = { readonly email: string; readonly account: string }

export type EmailOnly = { readonly email: string }

export type Passkey = { readonly id: string; readonly name: string; readonly backed_up: boolean; readonly created_at: string; readonly last_used_at: string | null }

export type PasswordSet = { readonly passkeys: readonly (Passkey)[]; readonly has_totp: boolean; readonly removed: boolean }

export type Me = { readonly id: string; readonly email: string; readonly email_verified: boolean; readonly name: string | null; readonly state: 'waiting' | 'active' | 'restricted'; readonly registered: boolean; readonly platform_role: 'support' | 'operator' | null; readonly has_password: boolean; readonly has_totp: boolean; readonly has_passkey: boolean; readonly second_factor_required: boolean; readonly terms: { readonly accepted_version: string | null; readonly version: string | null; readonly url: string | null }; readonly may_create_organizations: boolean; readonly waiting_note: string | null; readonly language: 'en' | 'de' | 'zh-CN' | null; readonly created_at: string }

export type MeChange = { readonly name?: string; readonly language?: 'en' | 'de' | 'zh-CN'; readonly waiting_note?: string | null }

export type PasswordChange = { readonly password: string }

export type NewOwnOrganization = { readonly slug: string; readonly name: string }

export type Registration = { readonly name: string; readonly terms_version?: string; readonly organization?: NewOwnOrganization; readonly language?: 'en' | 'de' | 'zh-CN' }

export type OwnOrganization = { readonly id: string; readonly slug: string; readonly name: string; readonly plan: string; readonly role: 'owner' | 'admin' | 'member' | 'viewer'; readonly refused: 'suspended' | 'no_balance' | 'no_credit' | 'exhausted' | 'conflict' | 'overdue' | null; readonly suspended_reason: string | null }

export type BegunTotp = { readonly secret: string; readonly uri: string }

export type ConfirmTotp = { readonly code: string }

export type RecoveryCodes = { readonly recovery_codes: readonly (string)[] }

export type NewPasskey = { readonly name: string; readonly credential: Credential }

export type PasskeyOptions = { readonly challenge: string }

export type GivenFactor = { readonly code?: string; readonly recovery_code?: string }

export type PasskeySignIn = { readonly credential: Credential }

export type SsoLookup = { readonly email: string }

export type FoundSso = { readonly connections: readonly ({ readonly id: string; readonly name: string })[]; readonly sso_only: boolean }

export type StartSso = { readonly to?: string; readonly confirm?: boolean }

export type StartedSso = { readonly location: string }

export type BackchannelLogout = { readonly logout_token: string }

export type SsoConnection = { readonly id: string; readonly name: string; readonly issuer: string; readonly client_id: string; readonly default_role: 'admin' | 'member' | 'viewer'; readonly redirect_uri: string; readonly backchannel_logout_uri: string; readonly created_at: string }

export type NewSsoConnection = { readonly id?: string; readonly name: string; readonly issuer: string; readonly client_id: string; readonly client_secret: string; readonly default_role?: 'admin' | 'member' | 'viewer' }

export type NextSsoConnection = { readonly id: string; readonly redirect_uri: string; readonly backchannel_logout_uri: string }

export type SsoConnectionChanges = { readonly name?: string; readonly issuer?: string; readonly client_id?: string; readonly client_secret?: string; readonly default_role?: 'admin' | 'member' | 'viewer' }

export type Domain = { readonly id: string; readonly domain: string; readonly verified_at: string | null; readonly misses: number; readonly record: { readonly name: string; readonly type: string; readonly value: string }; readonly created_at: string }

export type NewDomain = { readonly domain: string }

export type SignInRules = { readonly sso_only: boolean; readonly second_factor_required: boolean; readonly session_hours?: number | null }

export type AllowedNetworks = { readonly networks: readonly (string)[] }

export type ScimToken = { readonly id: string; readonly name: string; readonly shown_as: string; readonly created_by: string; readonly created_at: string; readonly revoked_at: string | null; readonly last_used_at: string | null }

export type NewScimToken = { readonly name: string }

export type CreatedScimToken = { readonly token: string; readonly id: string; readonly name: string; readonly shown_as: string; readonly created_by: string; readonly created_at: string; readonly revoked_at: string | null; readonly last_used_at: string | null }

export type ScimSettings = { readonly base_url: string; readonly roles: readonly ({ readonly group: string; readonly role: 'owner' | 'admin' | 'member' | 'viewer' })[] }

export type ScimRoles = { readonly roles: readonly ({ readonly group: string; readonly role: 'owner' | 'admin' | 'member' | 'viewer' })[] }

export type Organization = { readonly id: string; readonly slug: string; readonly name: string; readonly plan: string; readonly retention: 'zero' | 'standard' | 'contributor'; readonly billing_state: 'ok' | 'exhausted' | 'conflict'; readonly created_at: string; readonly support_access_ends_at?: string }

export type OrganizationChange = { readonly name?: string }

export type Money = { readonly amount: string; readonly amount_micro: number; readonly currency: string }

export type ListedProject = { readonly id: string; readonly name: string; readonly spending_limit: Money | null; readonly created_at: string; readonly archived_at: string | null; readonly keys: { readonly count: number; readonly more: boolean } | null }

export type NewProject = { readonly name: string; readonly spending_limit?: { readonly amount: string; readonly currency?: string } | null }

export type Project = { readonly id: string; readonly name: string; readonly spending_limit: Money | null; readonly created_at: string; readonly archived_at: string | null }

export type ProjectChange = { readonly name?: string; readonly spending_limit?: { readonly amount: string; readonly currency?: string } | null }

export type Key = { readonly id: string; readonly name: string; readonly shown_as: string; readonly project: { readonly id: string; readonly name: string }; readonly created_by: string | null; readonly created_at: string; readonly expires_at: string | null; readonly revoked_at: string | null; readonly last_used_at: string | null; readonly models: readonly (string)[] | null; readonly ignored_parameters: readonly (string)[]; readonly requests_per_minute: number | null; readonly spending_limit: Money | null; readonly held_limits: readonly (string)[]; readonly replaced_by: string | null; readonly revoked_by: string | null; readonly revoke_reason: string | null }

export type NewKey = { readonly name: string; readonly expires_at?: string | null; readonly models?: readonly (string)[] | null; readonly ignored_parameters?: readonly ('user' | 'safety_identifier' | 'metadata' | 'prompt_cache_key')[]; readonly requests_per_minute?: number | null; readonly spending_limit?: { readonly amount: string; readonly currency?: string } | null; readonly project?: string; readonly owner?: 'me' | 'organization' }

export type CreatedKey = { readonly key: string; readonly id: string; readonly name: string; readonly shown_as: string; readonly project: { readonly id: string; readonly name: string }; readonly created_by: string | null; readonly created_at: string; readonly expires_at: string | null; readonly revoked_at: string | null; readonly last_used_at: string | null; readonly models: readonly (string)[] | null; readonly ignored_parameters: readonly (string)[]; readonly requests_per_minute: number | null; readonly spending_limit: Money | null; readonly held_limits: readonly (string)[]; readonly replaced_by: string | null; readonly revoked_by: string | null; readonly revoke_reason: string | null }

export type KeyChange = { readonly name?: string; readonly expires_at?: string | null; readonly models?: readonly (string)[] | null; readonly ignored_parameters?: readonly ('user' | 'safety_identifier' | 'metadata' | 'prompt_cache_key')[]; readonly requests_per_minute?: number | null; readonly spending_limit?: { readonly amount: string; readonly currency?: string } | null }

export type KeyRotation = { readonly overlap_seconds?: number }

export type KeyRevocation = { readonly reason?: string }

export type LeakedKey = { readonly secret: string }

export type Member = { readonly id: string; readonly email: string; readonly name: string | null; readonly role: 'owner' | 'admin' | 'member' | 'viewer'; readonly joined_at: string; readonly last_seen_at: string | null; readonly second_factor: boolean | null; readonly keys: { readonly count: number; readonly more: boolean } | null }

export type MemberChange = { readonly role: 'owner' | 'admin' | 'member' | 'viewer' }

export type Invitation = { readonly id: string; readonly email: string; readonly role: 'owner' | 'admin' | 'member' | 'viewer'; readonly invited_by: string | null; readonly created_at: string; readonly ends_at: string }

export type NewInvitation = { readonly email: string; readonly role?: 'owner' | 'admin' | 'member' | 'viewer' }

export type SentInvitation = { readonly id: string; readonly email: string; readonly role: 'owner' | 'admin' | 'member' | 'viewer'; readonly invited_by: string | null; readonly created_at: string; readonly ends_at: string; readonly link: string | null }

export type InvitationToken = { readonly token: string }

export type OpenInvitation = { readonly organization: { readonly id: string; readonly slug: string; readonly name: string }; readonly email: string; readonly role: 'owner' | 'admin' | 'member' | 'viewer'; readonly invited_by: string | null; readonly ends_at: string; readonly next: 'join' | 'sign_in' | 'sso' | 'confirm'; readonly terms: { readonly version: string; readonly url: string } | null }

export type Joining = { readonly token: string; readonly name: string; readonly password: string; readonly terms_version?: string; readonly language?: 'en' | 'de' | 'zh-CN' }

export type Membership = { readonly organization: { readonly id: string; readonly slug: string; readonly name: string }; readonly role: 'owner' | 'admin' | 'member' | 'viewer' }

export type ManagementKey = { readonly id: string; readonly name: string; readonly shown_as: string; readonly scopes: readonly (string)[]; readonly created_by: string; readonly created_at: string; readonly expires_at: string; readonly revoked_at: string | null; readonly last_used_at: string | null }

export type NewManagementKey = { readonly name: string; readonly scopes: readonly (string)[]; readonly expires_at: string }

export type CreatedManagementKey = { readonly key: string; readonly id: string; readonly name: string; readonly shown_as: string; readonly scopes: readonly (string)[]; readonly created_by: string; readonly created_at: string; readonly expires_at: string; readonly revoked_at: string | null; readonly last_used_at: string | null }

export type AuditEvent = { readonly id: string; readonly made_at: string; readonly actor: { readonly kind: string; readonly id: string | null; readonly label: string }; readonly action: string; readonly target: { readonly kind: string; readonly id: string; readonly label: string | null }; readonly changes: Readonly<Record<string, readonly (unknown)[]>>; readonly hidden: boolean; readonly request_id: string | null }

export type AuditStream = { readonly url: string; readonly created_at: string; readonly delivered: number; readonly delivered_at: string | null; readonly waiting: number; readonly more_waiting: boolean; readonly failing_since: string | null; readonly last_error: string | null; readonly next_attempt_at: string | null; readonly paused_at: string | null }

export type FoundAuditStream = { readonly stream: AuditStream | null }

export type AuditStreamChange = { readonly url: string; readonly new_secret?: boolean }

export type ChangedAuditStream = { readonly url: string; readonly created_at: string; readonly delivered: number; readonly delivered_at: string | null; readonly waiting: number; readonly more_waiting: boolean; readonly failing_since: string | null; readonly last_error: string | null; readonly next_attempt_at: string | null; readonly paused_at: string | null; readonly secret: string | null }

export type ModelAvailability = { readonly state: 'available' | 'short' | 'unavailable' | 'unknown'; readonly since: string | null }

export type Balance = { readonly billing: 'none' | 'prepaid' | 'postpaid' | null; readonly billing_state: 'ok' | 'exhausted' | 'conflict'; readonly granted: Money; readonly spent: Money; readonly balance: Money; readonly reserved: Money | null; readonly available: Money | null; readonly credit_limit: Money | null; readonly credit_used: Money | null; readonly spent_this_month: Money; readonly forecast: { readonly month: Money; readonly from_days: number }; readonly funding_help: string | null }

export type Overview = { readonly organization: { readonly id: string; readonly slug: string; readonly name: string }; readonly plan: { readonly name: string; readonly offered: boolean; readonly billing: 'none' | 'prepaid' | 'postpaid' | null; readonly limits: { readonly requests_per_minute: number; readonly requests_per_day: number; readonly tokens_per_minute: number; readonly tokens_per_day: number } | null; readonly overridden: readonly (string)[]; readonly models: number }; readonly models: readonly ({ readonly id: string; readonly availability: ModelAvailability })[]; readonly keys: { readonly count: number; readonly more: boolean } | null; readonly usage: { readonly today: { readonly requests: number; readonly prompt_tokens: number; readonly cached_tokens: number; readonly completion_tokens: number; readonly cost: Money }; readonly this_month: { readonly requests: number; readonly prompt_tokens: number; readonly cached_tokens: number; readonly completion_tokens: number; readonly cost: Money } } | null; readonly speed: readonly ({ readonly model: string; readonly first_token_ms: number | null; readonly tokens_per_second: number | null })[] | null; readonly balance: Balance | null }

export type ModelCapabilities = { readonly tool_choice: boolean | null; readonly json_schema: boolean | null; readonly reasoning: boolean | null }

export type PlanModel = { readonly id: string; readonly owned_by: string; readonly context_length: number | null; readonly max_output_tokens: number | null; readonly default_output_tokens: number; readonly shutdown_date: string | null; readonly availability: ModelAvailability; readonly capabilities: ModelCapabilities; readonly reasoning_efforts: readonly (string)[]; readonly prices: { readonly input: Money; readonly cached_input: Money; readonly output: Money } | null }

export type PlanModels = { readonly plan: string; readonly billing: 'none' | 'prepaid' | 'postpaid' | null; readonly data: readonly (PlanModel)[] }

export type BillingContacts = { readonly emails: readonly (string)[] }

export type Transfer = { readonly id: string; readonly kind: 'grant' | 'adjustment' | 'payment' | 'refund' | 'dispute' | 'expiry' | 'voucher' | 'invoice' | 'usage'; readonly amount: Money; readonly reference: string; readonly reason: string | null; readonly made_by: string | null; readonly made_at: string }

export type Credit = { readonly id: string; readonly amount: Money; readonly remaining: Money; readonly granted_at: string; readonly expires_at: string }

export type Credits = { readonly data: readonly (Credit)[]; readonly rest: Money }

export type Statement = { readonly month: string; readonly requests: number; readonly prompt_tokens: number; readonly cached_tokens: number; readonly completion_tokens: number; readonly reasoning_tokens: number; readonly cost: Money; readonly issued_at: string; readonly state: 'closed' | 'issued' | 'paid' | 'overdue' | 'void' | 'written_off'; readonly amount_due: Money | null; readonly tax: Money | null; readonly total: Money | null; readonly due_at: string | null; readonly stops_at: string | null; readonly url: string | null }

export type Statements = { readonly data: readonly (Statement)[] }

export type VoucherCode = { readonly code: string }

export type RedeemedVoucher = { readonly amount: Money; readonly credit_expires_at: string | null; readonly redeemed_at: string; readonly repeated: boolean; readonly transfer_id: string }

export type SavedCard = { readonly brand: string; readonly last_four: string; readonly expires_month: number; readonly expires_year: number }

export type PaymentOptions = { readonly currency: string; readonly min: Money; readonly max: Money; readonly step: Money; readonly tax: boolean; readonly page_hosts: readonly (string)[]; readonly card: SavedCard | null }

export type Payment = { readonly id: string; readonly kind: 'page' | 'automatic' | 'invoice'; readonly state: 'created' | 'open' | 'processing' | 'needs_customer' | 'succeeded' | 'failed' | 'expired' | 'attention'; readonly month: string | null; readonly amount: Money; readonly tax: Money | null; readonly url: string | null; readonly failure: string | null; readonly has_document: boolean; readonly created_at: string; readonly expires_at: string; readonly changed_at: string }

export type PaymentPortal = { readonly url: string }

export type AutomaticTopUp = { readonly state: 'off' | 'on' | 'paused'; readonly threshold: Money | null; readonly amount: Money | null; readonly month_max: Money | null; readonly month_used: Money; readonly day_max: number; readonly consent_day_max: number; readonly charge_max: Money; readonly paused: 'declined' | 'declined_often' | 'confirmation' | 'refused' | 'cancelled' | 'provider_balance' | 'dispute' | 'refunded' | 'warning' | null; readonly bound: 'day' | 'month' | null; readonly next_attempt_at: string | null; readonly has_card: boolean; readonly consented_at: string | null; readonly consent_version: string }

export type Retention = { readonly retention: 'zero' | 'standard' | 'contributor'; readonly in_force: 'zero' | 'standard' | 'contributor'; readonly standard_days: number; readonly contributor_days: number; readonly contributor_terms: { readonly version: string; readonly url: string } | null; readonly consent: { readonly version: string; readonly accepted_at: string; readonly accepted_by: string } | null }

export type RetentionChange = { readonly retention: 'zero' | 'standard' | 'contributor'; readonly terms_version?: string }

export type KeptContent = { readonly retention: 'standard' | 'contributor'; readonly day: string; readonly records: number; readonly more: boolean }

export type DestroyedContent = { readonly destroyed_keys: number }

export type SupportAccess = { readonly id: string; readonly granted_by: string; readonly reason: string | null; readonly created_at: string; readonly ends_at: string; readonly ended_at: string | null; readonly active: boolean }

export type NewSupportAccess = { readonly hours?: number; readonly reason?: string | null }

export type PlaygroundCredential = { readonly credential: string; readonly expires_at: string }

export type SpendingAlert = { readonly project: { readonly id: string; readonly name: string } | null; readonly thresholds: readonly (Money)[]; readonly emails: readonly (string)[]; readonly webhook_url: string | null; readonly version: number; readonly reached: readonly ({ readonly threshold: Money; readonly spent: Money; readonly reached_at: string; readonly sent_at: string | null })[] }

export type SpendingAlertChange = { readonly project?: string | null; readonly thresholds: readonly (string)[]; readonly emails?: readonly (string)[]; readonly webhook_url?: string | null; readonly new_secret?: boolean }

export type ChangedSpendingAlert = { readonly project: { readonly id: string; readonly name: string } | null; readonly thresholds: readonly (Money)[]; readonly emails: readonly (string)[]; readonly webhook_url: string | null; readonly version: number; readonly reached: readonly ({ readonly threshold: Money; readonly spent: Money; readonly reached_at: string; readonly sent_at: string | null })[]; readonly webhook_secret: string | null }

export type AlertTestInput = { readonly project: string | null }

export type AlertTest = { readonly webhook: 'delivered' | 'failed' | null; readonly emails: number }

export type Usage = { readonly from: string; readonly to: string; readonly posted_up_to: string | null; readonly data: readonly ({ readonly day?: string; readonly hour?: string; readonly model?: string; readonly project?: { readonly id: string; readonly name: string | null }; readonly key?: { readonly id: string; readonly kind: 'api_key' | 'playground' | null; readonly name: string | null }; readonly member?: { readonly id: string; readonly name: string | null } | null; readonly requests: number; readonly failed: number | null; readonly prompt_tokens: number; readonly cached_tokens: number; readonly completion_tokens: number; readonly reasoning_tokens: number; readonly cost: Money })[] }

export type RequestSummary = { readonly id: string; readonly made_at: string; readonly outcome: 'completed' | 'failed' | 'abandoned' | 'lost' | 'refused'; readonly project: { readonly id: string; readonly name: string | null }; readonly key: { readonly id: string; readonly kind: 'api_key' | 'playground' | null; readonly name: string | null }; readonly member: string | null; readonly model: string | null; readonly error: { readonly status: number; readonly code: string; readonly param: string | null; readonly limits: readonly (string)[]; readonly checked: readonly ({ readonly limit: string; readonly needed: number; readonly left: number; readonly of: number })[]; readonly retry_after_ms: number | null } | null; readonly tokens: { readonly prompt_tokens: number; readonly cached_tokens: number; readonly completion_tokens: number; readonly reasoning_tokens: number; readonly basis: string } | null; readonly cost: Money | null; readonly first_token_ms: number | null; readonly duration_ms: number | null }

export type RequestDetail = { readonly id: string; readonly made_at: string; readonly outcome: 'completed' | 'failed' | 'abandoned' | 'lost' | 'refused'; readonly project: { readonly id: string; readonly name: string | null }; readonly key: { readonly id: string; readonly kind: 'api_key' | 'playground' | null; readonly name: string | null }; readonly member: string | null; readonly model: string | null; readonly error: { readonly status: number; readonly code: string; readonly param: string | null; readonly limits: readonly (string)[]; readonly checked: readonly ({ readonly limit: string; readonly needed: number; readonly left: number; readonly of: number })[]; readonly retry_after_ms: number | null } | null; readonly tokens: { readonly prompt_tokens: number; readonly cached_tokens: number; readonly completion_tokens: number; readonly reasoning_tokens: number; readonly basis: string } | null; readonly cost: Money | null; readonly first_token_ms: number | null; readonly duration_ms: number | null; readonly calculation: { readonly lines: readonly ({ readonly of: 'input' | 'cached_input' | 'output'; readonly tokens: number; readonly price_per_million: Money; readonly exact: string })[]; readonly exact: string; readonly reserved: Money | null } | null; readonly retention: 'zero' | 'standard' | 'contributor' | null; readonly queued_ms: number | null; readonly settled_at: string | null; readonly trace_url: string | null }

export type RequestMinute = { readonly from: string; readonly to: string; readonly requests: number; readonly more: boolean; readonly unfinished: number; readonly refused: number | null; readonly same_model: { readonly requests: number; readonly queued_ms: number | null; readonly first_token_ms: number | null; readonly duration_ms: number | null } | null }

export type LiveLimits = { readonly at: string; readonly requests_per_minute: { readonly limit: number; readonly remaining: number; readonly reset_ms: number }; readonly requests_per_day: { readonly limit: number; readonly remaining: number; readonly reset_ms: number }; readonly tokens_per_minute: { readonly limit: number; readonly remaining: number; readonly reset_ms: number }; readonly tokens_per_day: { readonly limit: number; readonly remaining: number; readonly reset_ms: number }; readonly running: number; readonly concurrent_requests: number | null; readonly concurrent_requests_per_key: number | null; readonly concurrent_requests_per_model: Readonly<Record<string, number>>; readonly balance: Money | null; readonly reserved: Money | null }

export type OperatorRequest = { readonly id: string; readonly made_at: string; readonly outcome: 'completed' | 'failed' | 'abandoned' | 'lost' | 'refused'; readonly project: { readonly id: string; readonly name: string | null }; readonly key: { readonly id: string; readonly kind: 'api_key' | 'playground' | null; readonly name: string | null }; readonly member: string | null; readonly model: string | null; readonly error: { readonly status: number; readonly code: string; readonly param: string | null; readonly limits: readonly (string)[]; readonly checked: readonly ({ readonly limit: string; readonly needed: number; readonly left: number; readonly of: number })[]; readonly retry_after_ms: number | null } | null; readonly tokens: { readonly prompt_tokens: number; readonly cached_tokens: number; readonly completion_tokens: number; readonly reasoning_tokens: number; readonly basis: string } | null; readonly cost: Money | null; readonly first_token_ms: number | null; readonly duration_ms: number | null; readonly calculation: { readonly lines: readonly ({ readonly of: 'input' | 'cached_input' | 'output'; readonly tokens: number; readonly price_per_million: Money; readonly exact: string })[]; readonly exact: string; readonly reserved: Money | null } | null; readonly retention: 'zero' | 'standard' | 'contributor' | null; readonly queued_ms: number | null; readonly settled_at: string | null; readonly trace_url: string | null; readonly organization: string; readonly engine: string | null; readonly attempts: number | null; readonly process: string | null }

export type NewRequestLink = { readonly days?: 1 | 7 | 30 }

export type CreatedRequestLink = { readonly id: string; readonly request: string; readonly created_by: string; readonly created_at: string; readonly ends_at: string; readonly link: string }

export type RequestLink = { readonly id: string; readonly request: string; readonly created_by: string; readonly created_at: string; readonly ends_at: string }

export type RequestLinkToken = { readonly token: string }

export type LinkedRequest = { readonly id: string; readonly made_at: string; readonly outcome: 'completed' | 'failed' | 'abandoned' | 'lost' | 'refused'; readonly model: string | null; readonly error: { readonly status: number; readonly code: string; readonly param: string | null; readonly limits: readonly (string)[]; readonly checked: readonly ({ readonly limit: string; readonly needed: number; readonly left: number; readonly of: number })[]; readonly retry_after_ms: number | null } | null; readonly tokens: { readonly prompt_tokens: number; readonly cached_tokens: number; readonly completion_tokens: number; readonly reasoning_tokens: number; readonly basis: string } | null; readonly cost: Money | null; readonly first_token_ms: number | null; readonly duration_ms: number | null; readonly calculation: { readonly lines: readonly ({ readonly of: 'input' | 'cached_input' | 'output'; readonly tokens: number; readonly price_per_million: Money; readonly exact: string })[]; readonly exact: string; readonly reserved: Money | null } | null; readonly retention: 'zero' | 'standard' | 'contributor' | null; readonly queued_ms: number | null; readonly settled_at: string | null; readonly organization: string; readonly key: { readonly kind: 'api_key' | 'playground' | null; readonly last4: string | null }; readonly link_ends_at: string }

export type OperatorAccount = { readonly id: string; readonly email: string; readonly name: string | null; readonly state: 'waiting' | 'active' | 'restricted'; readonly registered: boolean; readonly email_verified: boolean; readonly platform_role: 'support' | 'operator' | null; readonly by_invitation: boolean; readonly waiting_note: string | null; readonly created_at: string }

export type Admission = { readonly ids: readonly (string)[]; readonly note?: string }

export type Admitted = { readonly admitted: readonly (OperatorAccount)[]; readonly skipped: readonly (string)[] }

export type OperatorAccountDetail = { readonly id: string; readonly email: string; readonly name: string | null; readonly state: 'waiting' | 'active' | 'restricted'; readonly registered: boolean; readonly email_verified: boolean; readonly platform_role: 'support' | 'operator' | null; readonly by_invitation: boolean; readonly waiting_note: string | null; readonly created_at: string; readonly terms_version: string | null; readonly second_factor: boolean; readonly sessions: number; readonly last_seen_at: string | null; readonly organizations: readonly ({ readonly id: string; readonly slug: string; readonly name: string; readonly role: 'owner' | 'admin' | 'member' | 'viewer'; readonly state: 'active' | 'removed' })[] }

export type AccountChange = { readonly state?: 'active' | 'restricted'; readonly platform_role?: 'support' | 'operator' | null; readonly note?: string }

export type ResetLink = { readonly sent: boolean; readonly link: string | null }

export type Reconciliation = { readonly hour: string; readonly source: 'engine' | 'usage_log'; readonly name: string; readonly ledger: { readonly records: number | null; readonly prompt_tokens: number | null; readonly completion_tokens: number }; readonly counted: { readonly records: number | null; readonly prompt_tokens: number | null; readonly completion_tokens: number }; readonly difference: number; readonly checked_at: string }

export type OperatorOverview = { readonly problems: readonly ('usage_log_unreachable' | 'usage_not_posted' | 'usage_rejected' | 'ledger_unbalanced' | 'reconciliation_differs' | 'process_unreachable' | 'configuration_differs' | 'engine_unhealthy' | 'engine_incapable')[]; readonly waiting: { readonly count: number; readonly more: boolean }; readonly organizations: { readonly count: number; readonly more: boolean }; readonly without_organization: { readonly count: number; readonly newest: readonly ({ readonly id: string; readonly email: string })[] }; readonly usage: { readonly running: number; readonly unposted: number; readonly oldest_unposted_at: string | null; readonly rejected: number } | null; readonly ledger_sum: Money | null; readonly reconciliation: { readonly checked_at: string | null; readonly differences: readonly (Reconciliation)[] }; readonly processes: { readonly total: number; readonly unreachable: readonly (string)[]; readonly differing: readonly (string)[] }; readonly traffic: { readonly requests: number; readonly output_tokens: number; readonly refusals: Readonly<Record<string, number>>; readonly processes: number } | null; readonly engines: { readonly known: boolean; readonly slots: number; readonly slots_in_use: number; readonly unhealthy: readonly ({ readonly process: string; readonly engine: string })[]; readonly incapable: readonly ({ readonly engine: string; readonly missing: readonly (string)[] })[] } }

export type Ledger = { readonly accounts: readonly ({ readonly id: 'adjustments' | 'fees' | 'grants' | 'losses' | 'provider:stripe' | 'refunds_pending' | 'revenue' | 'tax' | 'vouchers'; readonly debits: Money; readonly credits: Money; readonly balance: Money })[]; readonly sum: Money | null; readonly summed_at: string | null; readonly provider: { readonly compared_until: string; readonly theirs: Money; readonly ours: Money; readonly not_compared: Money } | null }

export type OperatorPayment = { readonly id: string; readonly kind: 'page' | 'automatic' | 'invoice'; readonly state: 'created' | 'open' | 'processing' | 'needs_customer' | 'succeeded' | 'failed' | 'expired' | 'attention'; readonly month: string | null; readonly amount: Money; readonly tax: Money | null; readonly url: null; readonly failure: string | null; readonly has_document: boolean; readonly created_at: string; readonly expires_at: string; readonly changed_at: string; readonly organization_id: string; readonly organization_slug: string; readonly organization_name: string; readonly started_by: string | null; readonly returned: Money; readonly differences: readonly ({ readonly field: string; readonly ours: string; readonly theirs: string })[]; readonly resolution: 'credit' | 'refund' | 'outside' | null }

export type Refund = { readonly id: string; readonly payment_id: string; readonly organization_id: string; readonly amount: Money; readonly tax: Money; readonly created_at: string; readonly changed_at: string; readonly state: 'requested' | 'pending' | 'succeeded' | 'failed'; readonly requested_by: string | null; readonly reason: string | null; readonly ref: string | null; readonly failure: string | null; readonly credit_note: { readonly state: 'owed' | 'made' | 'refused'; readonly ref: string | null; readonly failure: string | null } | null }

export type Dispute = { readonly id: string; readonly payment_id: string; readonly organization_id: string; readonly amount: Money; readonly tax: Money; readonly created_at: string; readonly changed_at: string; readonly state: 'inquiry' | 'open' | 'lost' | 'won'; readonly reason: string; readonly ref: string }

export type TimelineEntry = { readonly at: string; readonly kind: 'audit' | 'hint' | 'read' | 'transfer'; readonly name: string; readonly by: string | null; readonly amount: Money | null; readonly way: string | null }

export type OperatorPaymentDetail = { readonly payment: OperatorPayment; readonly refundable: Money; readonly refs: { readonly page: string | null; readonly money: string | null; readonly invoice: string | null }; readonly dashboard_url: string | null; readonly next_reading_at: string | null; readonly refunds: readonly (Refund)[]; readonly disputes: readonly (Dispute)[]; readonly timeline: readonly (TimelineEntry)[] }

export type PaymentResolution = { readonly how: 'credit' | 'refund' | 'outside'; readonly reason: string }

export type NewRefund = { readonly amount: { readonly amount: string; readonly currency?: string }; readonly reason: string }

export type OperatorDispute = { readonly id: string; readonly payment_id: string; readonly organization_id: string; readonly amount: Money; readonly tax: Money; readonly created_at: string; readonly changed_at: string; readonly state: 'inquiry' | 'open' | 'lost' | 'won'; readonly reason: string; readonly ref: string; readonly organization_slug: string; readonly organization_name: string }

export type ProviderDay = { readonly day: string; readonly charges: { readonly theirs: Money; readonly ours: Money }; readonly refunds: { readonly theirs: Money; readonly ours: Money }; readonly disputes: { readonly theirs: Money; readonly ours: Money }; readonly fees: { readonly theirs: Money; readonly ours: Money }; readonly other_fees: readonly (Money)[]; readonly without_entry: number; readonly without_movement: number; readonly awaited: number; readonly ignored: number; readonly items: readonly ({ readonly about: 'payment' | 'refund' | 'dispute'; readonly ref: string; readonly payment_id: string | null; readonly amount: Money; readonly missing: 'entry' | 'movement' })[]; readonly compared_at: string }

export type Voucher = { readonly id: string; readonly state: 'open' | 'used_up' | 'expired' | 'revoked'; readonly amount: Money; readonly organizations_max: number; readonly redeemed: number; readonly expires_at: string | null; readonly credit_days: number | null; readonly note: string | null; readonly made_by: string; readonly made_at: string; readonly revoked_at: string | null }

export type NewVouchers = { readonly amount: { readonly amount: string; readonly currency?: string }; readonly count?: number; readonly organizations_max?: number; readonly expires_at?: string; readonly credit_days?: number; readonly note?: string }

export type CreatedVoucher = { readonly id: string; readonly state: 'open' | 'used_up' | 'expired' | 'revoked'; readonly amount: Money; readonly organizations_max: number; readonly redeemed: number; readonly expires_at: string | null; readonly credit_days: number | null; readonly note: string | null; readonly made_by: string; readonly made_at: string; readonly revoked_at: string | null; readonly code: string }

export type CreatedVouchers = { readonly data: readonly (CreatedVoucher)[] }

export type OperatorInvoice = { readonly id: string; readonly organization_id: string; readonly organization_slug: string; readonly organization_name: string; readonly month: string; readonly state: 'issued' | 'paid' | 'overdue' | 'void' | 'written_off'; readonly amount_due: Money | null; readonly tax: Money | null; readonly total: Money | null; readonly due_at: string | null; readonly decided: 'paid' | 'void' | 'written_off' | null; readonly failure: string | null; readonly created_at: string }

export type InvoiceDecision = { readonly reason: string }

export type OperatorOrganization = { readonly id: string; readonly slug: string; readonly name: string; readonly plan: string; readonly retention: 'zero' | 'standard' | 'contributor'; readonly billing_state: 'ok' | 'exhausted' | 'conflict'; readonly limits: { readonly requests_per_minute: number | null; readonly requests_per_day: number | null; readonly tokens_per_minute: number | null; readonly tokens_per_day: number | null }; readonly suspension: { readonly since: string; readonly reason: string } | null; readonly created_at: string; readonly deleted_at: string | null }

export type NewOperatorOrganization = { readonly slug: string; readonly name?: string; readonly plan?: string; readonly retention?: 'zero' | 'standard'; readonly owner?: string }

export type OrganizationDetail = { readonly organization: OperatorOrganization; readonly limits_in_force: readonly ({ readonly name: 'requests_per_minute' | 'requests_per_day' | 'tokens_per_minute' | 'tokens_per_day'; readonly limit: number; readonly source: 'plan' | 'override' })[] | null; readonly billing: string | null; readonly balance: { readonly granted: Money; readonly spent: Money; readonly balance: Money }; readonly credit_limit: Money | null; readonly credit_used: { readonly amount: string; readonly amount_micro: number; readonly currency: string }; readonly keys: { readonly count: number; readonly more: boolean }; readonly sso_only: boolean; readonly support_access_ends_at: string | null; readonly has_owner: boolean; readonly owner_invitation: { readonly email: string; readonly ends_at: string } | null }

export type OrganizationUpdate = { readonly name?: string; readonly plan?: string; readonly billing_state?: 'ok' | 'exhausted' | 'conflict'; readonly suspension?: { readonly reason: string } | null; readonly limits?: { readonly requests_per_minute?: number | null; readonly requests_per_day?: number | null; readonly tokens_per_minute?: number | null; readonly tokens_per_day?: number | null } }

export type CreditLimit = { readonly credit_limit: { readonly amount: string; readonly currency?: string } | null; readonly reason: string }

export type CreditLimitSet = { readonly credit_limit: Money | null }

export type OrganizationPreview = { readonly plan: { readonly before: string | null; readonly after: string | null }; readonly billing: { readonly before: string | null; readonly after: string | null }; readonly billing_state: { readonly before: string | null; readonly after: string | null }; readonly limits: readonly ({ readonly name: 'requests_per_minute' | 'requests_per_day' | 'tokens_per_minute' | 'tokens_per_day'; readonly before: { readonly limit: number; readonly source: 'plan' | 'override' } | null; readonly after: { readonly limit: number; readonly source: 'plan' | 'override' } | null; readonly used: number | null; readonly remaining_after: number | null })[]; readonly models: { readonly lost: readonly (string)[]; readonly gained: readonly (string)[] }; readonly repriced: readonly (string)[]; readonly credentials: { readonly lost: readonly (string)[]; readonly gained: readonly (string)[] }; readonly keys: { readonly count: number; readonly more: boolean; readonly without_models: number } }

export type OwnerInvitation = { readonly email: string }

export type NewTransfer = { readonly kind: 'grant' | 'adjustment'; readonly amount: { readonly amount: string; readonly currency?: string }; readonly reason: string; readonly reference: string; readonly expires_at?: string }

export type MadeTransfer = { readonly transfer: Transfer; readonly repeated: boolean; readonly balance: { readonly granted: Money; readonly spent: Money; readonly balance: Money } }

export type PlatformAuditEvent = { readonly id: string; readonly made_at: string; readonly actor: { readonly kind: string; readonly id: string | null; readonly label: string }; readonly action: string; readonly target: { readonly kind: string; readonly id: string; readonly label: string | null }; readonly changes: Readonly<Record<string, readonly (unknown)[]>>; readonly hidden: boolean; readonly request_id: string | null; readonly organization_id: string | null }

export type Process = { readonly url: string | null; readonly reachable: boolean; readonly status: { readonly kind: 'api' | 'worker' | 'console'; readonly version: string; readonly pid?: number; readonly started_at: string; readonly configuration: string; readonly reload?: { readonly count: number; readonly at: string; readonly result: 'applied' | 'rejected'; readonly problems: readonly (string)[] }; readonly traffic?: { readonly requests: number; readonly output_tokens: number; readonly refusals: Readonly<Record<string, number>> } } | null; readonly differs: boolean }

export type Engine = { readonly name: string; readonly state: { readonly healthy: boolean; readonly slots: number; readonly slots_in_use: number; readonly ejections: number; readonly state?: 'ready' | 'suspect' | 'ejected' | 'trial' | 'warming' | 'misconfigured' | 'draining' | 'disabled'; readonly since?: string; readonly reason?: string; readonly level?: number; readonly capacity?: number; readonly found?: number; readonly leased?: number; readonly waiting_inside?: number | null; readonly first_token_ms?: number | null; readonly tokens_per_second?: number | null; readonly prefill_tokens_per_second?: number | null; readonly cached_share?: number | null; readonly excess_tokens?: number; readonly conversations?: number; readonly exceptions?: number; readonly faults?: Readonly<Record<string, { readonly count: number; readonly organizations: number }>>; readonly probed_at?: string | null; readonly version?: string | null } | null; readonly missing: readonly (string)[] | null }

export type EnginesOfProcess = { readonly url: string; readonly reachable: boolean; readonly engines: readonly (Engine)[]; readonly pools: Readonly<Record<string, { readonly waiting: number; readonly running: number; readonly expected_wait_seconds: number; readonly refusals: Readonly<Record<string, number>>; readonly tokens: number; readonly heaviest: readonly ({ readonly organization_id: string; readonly tokens: number })[] }>> }

export type EngineOrder = { readonly engine: string; readonly state: 'enabled' | 'draining' | 'disabled'; readonly since: string | null; readonly by: string | null; readonly note: string | null }

export type Plan = { readonly name: string; readonly default: boolean; readonly models: readonly (string)[]; readonly credentials: readonly (string)[]; readonly ignored_parameters: readonly (string)[]; readonly billing: string; readonly limits: Readonly<Record<string, number>>; readonly concurrent_requests_per_model: Readonly<Record<string, number>>; readonly weight: number; readonly priority: string; readonly prices: Readonly<Record<string, { readonly input: Money; readonly cached_input: Money; readonly output: Money }>> }

export type Configuration = { readonly fingerprint: string; readonly settings: Nothing; readonly differing: readonly (string)[] }

export type Routes = {
  'POST /sessions': { path: Nothing; query: Nothing; body: SignIn; answer: SignedIn }
  'GET /sessions': { path: Nothing; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (Session)[]; readonly next: string | null } }
  'DELETE /sessions': { path: Nothing; query: Nothing; body: undefined; answer: undefined }
  'POST /sessions/link': { path: Nothing; query: Nothing; body: LinkUse; answer: SignedIn }
  'DELETE /sessions/{session}': { path: { readonly session: string }; query: Nothing; body: undefined; answer: undefined }
  'DELETE /sessions/current': { path: Nothing; query: Nothing; body: undefined; answer: undefined }
  'POST /sessions/current/confirm': { path: Nothing; query: Nothing; body: Confirmation; answer: SignedIn }
  'POST /sign-ups': { path: Nothing; query: Nothing; body: SignUp; answer: undefined }
  'POST /sign-ups/look-up': { path: Nothing; query: Nothing; body: LinkUse; answer: SignUpLink }
  'POST /sign-ups/complete': { path: Nothing; query: Nothing; body: PasswordByLink; answer: SignedIn }
  'POST /email-verifications/look-up': { path: Nothing; query: Nothing; body: LinkUse; answer: EmailChange }
  'POST /email-verifications': { path: Nothing; query: Nothing; body: LinkUse; answer: undefined }
  'POST /password-resets': { path: Nothing; query: Nothing; body: EmailOnly; answer: undefined }
  'POST /password-resets/complete': { path: Nothing; query: Nothing; body: PasswordByLink; answer: PasswordSet }
  'GET /me': { path: Nothing; query: Nothing; body: undefined; answer: Me }
  'PATCH /me': { path: Nothing; query: Nothing; body: MeChange; answer: Me }
  'DELETE /me': { path: Nothing; query: Nothing; body: undefined; answer: undefined }
  'GET /me/export': { path: Nothing; query: Nothing; body: undefined; answer: string }
  'PUT /me/password': { path: Nothing; query: Nothing; body: PasswordChange; answer: undefined }
  'POST /me/email': { path: Nothing; query: Nothing; body: EmailOnly; answer: undefined }
  'POST /me/registration': { path: Nothing; query: Nothing; body: Registration; answer: Me }
  'GET /me/organizations': { path: Nothing; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (OwnOrganization)[]; readonly next: string | null } }
  'POST /organizations': { path: Nothing; query: Nothing; body: NewOwnOrganization; answer: OwnOrganization }
  'POST /me/totp': { path: Nothing; query: Nothing; body: undefined; answer: BegunTotp }
  'DELETE /me/totp': { path: Nothing; query: Nothing; body: undefined; answer: undefined }
  'POST /me/totp/confirm': { path: Nothing; query: Nothing; body: ConfirmTotp; answer: RecoveryCodes }
  'POST /me/recovery-codes': { path: Nothing; query: Nothing; body: undefined; answer: RecoveryCodes }
  'GET /me/passkeys': { path: Nothing; query: Nothing; body: undefined; answer: { readonly data: readonly (Passkey)[]; readonly next: string | null } }
  'POST /me/passkeys': { path: Nothing; query: Nothing; body: NewPasskey; answer: Passkey }
  'POST /me/passkeys/options': { path: Nothing; query: Nothing; body: undefined; answer: PasskeyOptions }
  'DELETE /me/passkeys/{passkey}': { path: { readonly passkey: string }; query: Nothing; body: undefined; answer: undefined }
  'POST /sessions/second-factor': { path: Nothing; query: Nothing; body: GivenFactor; answer: SignedIn }
  'POST /sessions/passkey/options': { path: Nothing; query: Nothing; body: undefined; answer: PasskeyOptions }
  'POST /sessions/passkey': { path: Nothing; query: Nothing; body: PasskeySignIn; answer: SignedIn }
  'POST /sso/lookup': { path: Nothing; query: Nothing; body: SsoLookup; answer: FoundSso }
  'POST /sso/{connection}/start': { path: { readonly connection: string }; query: Nothing; body: StartSso; answer: StartedSso }
  'GET /sso/callback/{connection}': { path: { readonly connection: string }; query: { readonly state?: string; readonly code?: string; readonly iss?: string; readonly error?: string }; body: undefined; answer: undefined }
  'POST /sso/{connection}/backchannel-logout': { path: { readonly connection: string }; query: Nothing; body: undefined; answer: undefined }
  'GET /organizations/{organization}/sso-connections': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: { readonly data: readonly (SsoConnection)[]; readonly next: string | null } }
  'POST /organizations/{organization}/sso-connections': { path: { readonly organization: string }; query: Nothing; body: NewSsoConnection; answer: SsoConnection }
  'GET /organizations/{organization}/sso-connections/next': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: NextSsoConnection }
  'PATCH /organizations/{organization}/sso-connections/{connection}': { path: { readonly organization: string; readonly connection: string }; query: Nothing; body: SsoConnectionChanges; answer: SsoConnection }
  'DELETE /organizations/{organization}/sso-connections/{connection}': { path: { readonly organization: string; readonly connection: string }; query: Nothing; body: undefined; answer: undefined }
  'GET /organizations/{organization}/domains': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: { readonly data: readonly (Domain)[]; readonly next: string | null } }
  'POST /organizations/{organization}/domains': { path: { readonly organization: string }; query: Nothing; body: NewDomain; answer: Domain }
  'POST /organizations/{organization}/domains/{domain}/verify': { path: { readonly organization: string; readonly domain: string }; query: Nothing; body: undefined; answer: Domain }
  'DELETE /organizations/{organization}/domains/{domain}': { path: { readonly organization: string; readonly domain: string }; query: Nothing; body: undefined; answer: undefined }
  'GET /organizations/{organization}/sign-in': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: SignInRules }
  'PUT /organizations/{organization}/sign-in': { path: { readonly organization: string }; query: Nothing; body: SignInRules; answer: SignInRules }
  'GET /organizations/{organization}/allowed-networks': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: AllowedNetworks }
  'PUT /organizations/{organization}/allowed-networks': { path: { readonly organization: string }; query: Nothing; body: AllowedNetworks; answer: AllowedNetworks }
  'GET /organizations/{organization}/scim-tokens': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: { readonly data: readonly (ScimToken)[]; readonly next: string | null } }
  'POST /organizations/{organization}/scim-tokens': { path: { readonly organization: string }; query: Nothing; body: NewScimToken; answer: CreatedScimToken }
  'DELETE /organizations/{organization}/scim-tokens/{token}': { path: { readonly organization: string; readonly token: string }; query: Nothing; body: undefined; answer: undefined }
  'GET /organizations/{organization}/scim': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: ScimSettings }
  'PUT /organizations/{organization}/scim': { path: { readonly organization: string }; query: Nothing; body: ScimRoles; answer: ScimSettings }
  'GET /organizations/{organization}': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: Organization }
  'PATCH /organizations/{organization}': { path: { readonly organization: string }; query: Nothing; body: OrganizationChange; answer: Organization }
  'DELETE /organizations/{organization}': { path: { readonly organization: string }; query: { readonly forfeit_balance?: boolean }; body: undefined; answer: undefined }
  'GET /organizations/{organization}/projects': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string; readonly sort?: 'name'; readonly order?: 'asc' | 'desc' }; body: undefined; answer: { readonly data: readonly (ListedProject)[]; readonly next: string | null } }
  'POST /organizations/{organization}/projects': { path: { readonly organization: string }; query: Nothing; body: NewProject; answer: Project }
  'GET /organizations/{organization}/projects/{project}': { path: { readonly organization: string; readonly project: string }; query: Nothing; body: undefined; answer: Project }
  'PATCH /organizations/{organization}/projects/{project}': { path: { readonly organization: string; readonly project: string }; query: Nothing; body: ProjectChange; answer: Project }
  'POST /organizations/{organization}/projects/{project}/archive': { path: { readonly organization: string; readonly project: string }; query: Nothing; body: undefined; answer: Project }
  'GET /organizations/{organization}/keys': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string; readonly project?: string; readonly owner?: string; readonly state?: 'active' | 'all'; readonly sort?: 'created' | 'name' | 'expires' | 'last_used'; readonly order?: 'asc' | 'desc'; readonly q?: string }; body: undefined; answer: { readonly data: readonly (Key)[]; readonly next: string | null; readonly total: { readonly count: number; readonly more: boolean } | null } }
  'POST /organizations/{organization}/keys': { path: { readonly organization: string }; query: Nothing; body: NewKey; answer: CreatedKey }
  'GET /organizations/{organization}/keys/{key}': { path: { readonly organization: string; readonly key: string }; query: Nothing; body: undefined; answer: Key }
  'PATCH /organizations/{organization}/keys/{key}': { path: { readonly organization: string; readonly key: string }; query: Nothing; body: KeyChange; answer: Key }
  'POST /organizations/{organization}/keys/{key}/rotate': { path: { readonly organization: string; readonly key: string }; query: Nothing; body: KeyRotation; answer: CreatedKey }
  'POST /organizations/{organization}/keys/{key}/revoke': { path: { readonly organization: string; readonly key: string }; query: Nothing; body: KeyRevocation; answer: Key }
  'POST /revoked-keys': { path: Nothing; query: Nothing; body: LeakedKey; answer: undefined }
  'GET /organizations/{organization}/members': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string; readonly sort?: 'name' | 'role'; readonly order?: 'asc' | 'desc' }; body: undefined; answer: { readonly data: readonly (Member)[]; readonly next: string | null; readonly total: { readonly count: number; readonly more: boolean } | null } }
  'PATCH /organizations/{organization}/members/{account}': { path: { readonly organization: string; readonly account: string }; query: Nothing; body: MemberChange; answer: Member }
  'DELETE /organizations/{organization}/members/{account}': { path: { readonly organization: string; readonly account: string }; query: { readonly keys?: 'stop' | 'move' }; body: undefined; answer: undefined }
  'DELETE /organizations/{organization}/members/me': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: undefined }
  'GET /organizations/{organization}/invitations': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (Invitation)[]; readonly next: string | null } }
  'POST /organizations/{organization}/invitations': { path: { readonly organization: string }; query: Nothing; body: NewInvitation; answer: SentInvitation }
  'POST /organizations/{organization}/invitations/{invitation}/resend': { path: { readonly organization: string; readonly invitation: string }; query: Nothing; body: undefined; answer: SentInvitation }
  'DELETE /organizations/{organization}/invitations/{invitation}': { path: { readonly organization: string; readonly invitation: string }; query: Nothing; body: undefined; answer: undefined }
  'POST /invitations/look-up': { path: Nothing; query: Nothing; body: InvitationToken; answer: OpenInvitation }
  'POST /invitations/join': { path: Nothing; query: Nothing; body: Joining; answer: SignedIn }
  'POST /invitations/accept': { path: Nothing; query: Nothing; body: InvitationToken; answer: Membership }
  'GET /organizations/{organization}/management-keys': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (ManagementKey)[]; readonly next: string | null } }
  'POST /organizations/{organization}/management-keys': { path: { readonly organization: string }; query: Nothing; body: NewManagementKey; answer: CreatedManagementKey }
  'DELETE /organizations/{organization}/management-keys/{key}': { path: { readonly organization: string; readonly key: string }; query: Nothing; body: undefined; answer: undefined }
  'GET /organizations/{organization}/audit-events': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string; readonly actor?: string; readonly action?: string; readonly without_action?: string; readonly target?: string; readonly actor_kind?: 'person' | 'management_key' | 'scim_token' | 'operator_shell' | 'system' | 'support'; readonly from?: string; readonly to?: string }; body: undefined; answer: { readonly data: readonly (AuditEvent)[]; readonly next: string | null } }
  'GET /organizations/{organization}/audit-events/export': { path: { readonly organization: string }; query: { readonly actor?: string; readonly action?: string; readonly without_action?: string; readonly target?: string; readonly actor_kind?: 'person' | 'management_key' | 'scim_token' | 'operator_shell' | 'system' | 'support'; readonly from?: string; readonly to?: string; readonly format?: 'csv' | 'jsonl' }; body: undefined; answer: undefined }
  'GET /organizations/{organization}/audit-stream': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: FoundAuditStream }
  'PUT /organizations/{organization}/audit-stream': { path: { readonly organization: string }; query: Nothing; body: AuditStreamChange; answer: ChangedAuditStream }
  'DELETE /organizations/{organization}/audit-stream': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: undefined }
  'GET /operator/audit-stream': { path: Nothing; query: Nothing; body: undefined; answer: FoundAuditStream }
  'PUT /operator/audit-stream': { path: Nothing; query: Nothing; body: AuditStreamChange; answer: ChangedAuditStream }
  'DELETE /operator/audit-stream': { path: Nothing; query: Nothing; body: undefined; answer: undefined }
  'GET /organizations/{organization}/overview': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: Overview }
  'GET /organizations/{organization}/models': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: PlanModels }
  'GET /organizations/{organization}/balance': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: Balance }
  'GET /organizations/{organization}/billing-contacts': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: BillingContacts }
  'PUT /organizations/{organization}/billing-contacts': { path: { readonly organization: string }; query: Nothing; body: BillingContacts; answer: BillingContacts }
  'GET /organizations/{organization}/balance/transfers': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (Transfer)[]; readonly next: string | null } }
  'GET /organizations/{organization}/credits': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: Credits }
  'GET /organizations/{organization}/statements': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: Statements }
  'GET /organizations/{organization}/statements/{month}/cells': { path: { readonly organization: string; readonly month: string }; query: { readonly format?: 'json' | 'csv' }; body: undefined; answer: undefined }
  'POST /organizations/{organization}/vouchers/redeem': { path: { readonly organization: string }; query: Nothing; body: VoucherCode; answer: RedeemedVoucher }
  'GET /organizations/{organization}/payment-options': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: PaymentOptions }
  'GET /organizations/{organization}/payments': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (Payment)[]; readonly next: string | null } }
  'POST /organizations/{organization}/payments': { path: { readonly organization: string }; query: Nothing; body: { readonly amount: { readonly amount: string; readonly currency?: string }; readonly save_card?: boolean }; answer: Payment }
  'GET /organizations/{organization}/payments/{payment}': { path: { readonly organization: string; readonly payment: string }; query: Nothing; body: undefined; answer: Payment }
  'POST /organizations/{organization}/payments/{payment}/check': { path: { readonly organization: string; readonly payment: string }; query: Nothing; body: undefined; answer: Payment }
  'POST /organizations/{organization}/payments/{payment}/cancel': { path: { readonly organization: string; readonly payment: string }; query: Nothing; body: undefined; answer: Payment }
  'GET /organizations/{organization}/payments/{payment}/document': { path: { readonly organization: string; readonly payment: string }; query: Nothing; body: undefined; answer: undefined }
  'POST /organizations/{organization}/payment-portal': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: PaymentPortal }
  'GET /organizations/{organization}/automatic-top-up': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: AutomaticTopUp }
  'PUT /organizations/{organization}/automatic-top-up': { path: { readonly organization: string }; query: Nothing; body: { readonly enabled: boolean; readonly threshold?: { readonly amount: string; readonly currency?: string }; readonly amount?: { readonly amount: string; readonly currency?: string }; readonly month_max?: { readonly amount: string; readonly currency?: string }; readonly consent?: string }; answer: AutomaticTopUp }
  'POST /organizations/{organization}/automatic-top-up/resume': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: AutomaticTopUp }
  'GET /organizations/{organization}/retention': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: Retention }
  'PUT /organizations/{organization}/retention': { path: { readonly organization: string }; query: Nothing; body: RetentionChange; answer: Retention }
  'GET /organizations/{organization}/kept-content': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (KeptContent)[]; readonly next: string | null } }
  'DELETE /organizations/{organization}/kept-content': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: DestroyedContent }
  'GET /organizations/{organization}/support-access': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (SupportAccess)[]; readonly next: string | null } }
  'POST /organizations/{organization}/support-access': { path: { readonly organization: string }; query: Nothing; body: NewSupportAccess; answer: SupportAccess }
  'DELETE /organizations/{organization}/support-access': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: undefined }
  'POST /organizations/{organization}/projects/{project}/playground-credentials': { path: { readonly organization: string; readonly project: string }; query: Nothing; body: undefined; answer: PlaygroundCredential }
  'GET /organizations/{organization}/spending-alerts': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (SpendingAlert)[]; readonly next: string | null } }
  'PUT /organizations/{organization}/spending-alerts': { path: { readonly organization: string }; query: Nothing; body: SpendingAlertChange; answer: ChangedSpendingAlert }
  'POST /organizations/{organization}/spending-alerts/test': { path: { readonly organization: string }; query: Nothing; body: AlertTestInput; answer: AlertTest }
  'GET /organizations/{organization}/usage': { path: { readonly organization: string }; query: { readonly from?: string; readonly to?: string; readonly by?: readonly ('day' | 'hour' | 'model' | 'project' | 'key' | 'member')[]; readonly project?: string; readonly key?: string; readonly member?: string; readonly model?: string }; body: undefined; answer: Usage }
  'GET /organizations/{organization}/usage/export': { path: { readonly organization: string }; query: { readonly from?: string; readonly to?: string; readonly format?: 'json' | 'csv' | 'cloudevents'; readonly project?: string; readonly key?: string; readonly member?: string; readonly model?: string }; body: undefined; answer: undefined }
  'GET /organizations/{organization}/requests': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string; readonly from?: string; readonly to?: string; readonly project?: string; readonly key?: string; readonly member?: string; readonly model?: string; readonly outcome?: 'completed' | 'failed' | 'abandoned' | 'lost' | 'refused'; readonly sort?: 'cost' | 'duration'; readonly status?: number }; body: undefined; answer: { readonly data: readonly (RequestSummary)[]; readonly next: string | null; readonly more: number } }
  'GET /organizations/{organization}/requests/{request}': { path: { readonly organization: string; readonly request: string }; query: Nothing; body: undefined; answer: RequestDetail }
  'GET /organizations/{organization}/requests/{request}/minute': { path: { readonly organization: string; readonly request: string }; query: Nothing; body: undefined; answer: RequestMinute }
  'GET /organizations/{organization}/limits': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: LiveLimits }
  'GET /organizations/{organization}/limits/events': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: undefined }
  'GET /operator/requests/{request}': { path: { readonly request: string }; query: { readonly organization?: string }; body: undefined; answer: OperatorRequest }
  'POST /organizations/{organization}/requests/{request}/links': { path: { readonly organization: string; readonly request: string }; query: Nothing; body: NewRequestLink; answer: CreatedRequestLink }
  'GET /organizations/{organization}/request-links': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string; readonly request?: string }; body: undefined; answer: { readonly data: readonly (RequestLink)[]; readonly next: string | null } }
  'DELETE /organizations/{organization}/request-links/{link}': { path: { readonly organization: string; readonly link: string }; query: Nothing; body: undefined; answer: undefined }
  'POST /request-links/open': { path: Nothing; query: Nothing; body: RequestLinkToken; answer: LinkedRequest }
  'GET /operator/accounts': { path: Nothing; query: { readonly limit?: number; readonly after?: string; readonly q?: string; readonly state?: 'waiting' | 'active' | 'restricted'; readonly platform_role?: 'support' | 'operator' }; body: undefined; answer: { readonly data: readonly (OperatorAccount)[]; readonly next: string | null } }
  'POST /operator/accounts/admit': { path: Nothing; query: Nothing; body: Admission; answer: Admitted }
  'GET /operator/accounts/{account}': { path: { readonly account: string }; query: Nothing; body: undefined; answer: OperatorAccountDetail }
  'PATCH /operator/accounts/{account}': { path: { readonly account: string }; query: Nothing; body: AccountChange; answer: OperatorAccount }
  'DELETE /operator/accounts/{account}': { path: { readonly account: string }; query: Nothing; body: undefined; answer: undefined }
  'DELETE /operator/accounts/{account}/sessions': { path: { readonly account: string }; query: Nothing; body: undefined; answer: undefined }
  'DELETE /operator/accounts/{account}/factors': { path: { readonly account: string }; query: Nothing; body: undefined; answer: undefined }
  'POST /operator/accounts/{account}/reset-link': { path: { readonly account: string }; query: Nothing; body: undefined; answer: ResetLink }
  'GET /operator/overview': { path: Nothing; query: Nothing; body: undefined; answer: OperatorOverview }
  'GET /operator/ledger': { path: Nothing; query: Nothing; body: undefined; answer: Ledger }
  'GET /operator/reconciliations': { path: Nothing; query: { readonly limit?: number; readonly after?: string; readonly differing?: boolean }; body: undefined; answer: { readonly data: readonly (Reconciliation)[]; readonly next: string | null } }
  'GET /operator/management-keys': { path: Nothing; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (ManagementKey)[]; readonly next: string | null } }
  'POST /operator/management-keys': { path: Nothing; query: Nothing; body: NewManagementKey; answer: CreatedManagementKey }
  'DELETE /operator/management-keys/{key}': { path: { readonly key: string }; query: Nothing; body: undefined; answer: undefined }
  'GET /operator/payments': { path: Nothing; query: { readonly limit?: number; readonly after?: string; readonly state?: 'created' | 'open' | 'processing' | 'needs_customer' | 'succeeded' | 'failed' | 'expired' | 'attention'; readonly organization?: string }; body: undefined; answer: { readonly data: readonly (OperatorPayment)[]; readonly next: string | null } }
  'GET /operator/payments/{payment}': { path: { readonly payment: string }; query: Nothing; body: undefined; answer: OperatorPaymentDetail }
  'POST /operator/payments/{payment}/check': { path: { readonly payment: string }; query: Nothing; body: undefined; answer: OperatorPaymentDetail }
  'POST /operator/payments/{payment}/resolve': { path: { readonly payment: string }; query: Nothing; body: PaymentResolution; answer: OperatorPaymentDetail }
  'POST /operator/payments/{payment}/refunds': { path: { readonly payment: string }; query: Nothing; body: NewRefund; answer: Refund }
  'GET /operator/disputes': { path: Nothing; query: { readonly limit?: number; readonly after?: string; readonly state?: 'inquiry' | 'open' | 'lost' | 'won' }; body: undefined; answer: { readonly data: readonly (OperatorDispute)[]; readonly next: string | null } }
  'GET /operator/provider-days': { path: Nothing; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (ProviderDay)[]; readonly next: string | null } }
  'GET /operator/vouchers': { path: Nothing; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (Voucher)[]; readonly next: string | null } }
  'POST /operator/vouchers': { path: Nothing; query: Nothing; body: NewVouchers; answer: CreatedVouchers }
  'DELETE /operator/vouchers/{voucher}': { path: { readonly voucher: string }; query: Nothing; body: undefined; answer: undefined }
  'GET /operator/invoices': { path: Nothing; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (OperatorInvoice)[]; readonly next: string | null } }
  'POST /operator/invoices/{invoice}/mark-paid': { path: { readonly invoice: string }; query: Nothing; body: InvoiceDecision; answer: OperatorInvoice }
  'POST /operator/invoices/{invoice}/void': { path: { readonly invoice: string }; query: Nothing; body: InvoiceDecision; answer: OperatorInvoice }
  'POST /operator/invoices/{invoice}/write-off': { path: { readonly invoice: string }; query: Nothing; body: InvoiceDecision; answer: OperatorInvoice }
  'GET /operator/organizations': { path: Nothing; query: { readonly limit?: number; readonly after?: string; readonly sort?: 'name' | 'plan'; readonly order?: 'asc' | 'desc'; readonly q?: string }; body: undefined; answer: { readonly data: readonly (OperatorOrganization)[]; readonly next: string | null; readonly total: { readonly count: number; readonly more: boolean } | null } }
  'POST /operator/organizations': { path: Nothing; query: Nothing; body: NewOperatorOrganization; answer: Organization }
  'GET /operator/organizations/{organization}': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: OrganizationDetail }
  'PATCH /operator/organizations/{organization}': { path: { readonly organization: string }; query: Nothing; body: OrganizationUpdate; answer: OperatorOrganization }
  'DELETE /operator/organizations/{organization}': { path: { readonly organization: string }; query: { readonly forfeit_balance?: boolean }; body: undefined; answer: undefined }
  'DELETE /operator/organizations/{organization}/sso-only': { path: { readonly organization: string }; query: Nothing; body: undefined; answer: undefined }
  'PUT /operator/organizations/{organization}/credit-limit': { path: { readonly organization: string }; query: Nothing; body: CreditLimit; answer: CreditLimitSet }
  'POST /operator/organizations/{organization}/preview': { path: { readonly organization: string }; query: Nothing; body: OrganizationUpdate; answer: OrganizationPreview }
  'GET /operator/organizations/{organization}/members': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (Member)[]; readonly next: string | null } }
  'POST /operator/organizations/{organization}/owner-invitations': { path: { readonly organization: string }; query: Nothing; body: OwnerInvitation; answer: SentInvitation }
  'GET /operator/organizations/{organization}/usage': { path: { readonly organization: string }; query: { readonly from?: string; readonly to?: string; readonly by?: readonly ('day' | 'model')[] }; body: undefined; answer: Usage }
  'GET /operator/organizations/{organization}/transfers': { path: { readonly organization: string }; query: { readonly limit?: number; readonly after?: string }; body: undefined; answer: { readonly data: readonly (Transfer)[]; readonly next: string | null } }
  'POST /operator/organizations/{organization}/transfers': { path: { readonly organization: string }; query: Nothing; body: NewTransfer; answer: MadeTransfer }
  'GET /operator/audit-events': { path: Nothing; query: { readonly limit?: number; readonly after?: string; readonly actor?: string; readonly action?: string; readonly without_action?: string; readonly target?: string; readonly actor_kind?: 'person' | 'management_key' | 'scim_token' | 'operator_shell' | 'system' | 'support'; readonly from?: string; readonly to?: string; readonly organization?: string }; body: undefined; answer: { readonly data: readonly (PlatformAuditEvent)[]; readonly next: string | null } }
  'GET /operator/audit-events/export': { path: Nothing; query: { readonly actor?: string; readonly action?: string; readonly without_action?: string; readonly target?: string; readonly actor_kind?: 'person' | 'management_key' | 'scim_token' | 'operator_shell' | 'system' | 'support'; readonly from?: string; readonly to?: string; readonly format?: 'csv' | 'jsonl'; readonly organization?: string }; body: undefined; answer: undefined }
  'GET /operator/processes': { path: Nothing; query: Nothing; body: undefined; answer: { readonly data: readonly (Process)[] } }
  'GET /operator/engines': { path: Nothing; query: Nothing; body: undefined; answer: { readonly data: readonly (EnginesOfProcess)[]; readonly orders: readonly (EngineOrder)[]; readonly organizations: Readonly<Record<string, string>> } }
  'PUT /operator/engines/{engine}/order': { path: { readonly engine: string }; query: Nothing; body: { readonly state: 'enabled' | 'draining' | 'disabled'; readonly note?: string }; answer: EngineOrder }
  'GET /operator/plans': { path: Nothing; query: Nothing; body: undefined; answer: { readonly data: readonly (Plan)[] } }
  'GET /operator/configuration': { path: Nothing; query: Nothing; body: undefined; answer: Configuration }
}
