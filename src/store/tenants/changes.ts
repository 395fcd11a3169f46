import { OperatorError } from '../../lib/operator-error.ts'
import { DatabaseError } from 'pg'
import type { RaisedVersion } from './versions.ts'

/** The result of a change, and the organizations whose cached identities it made stale. */
export type Changed<Value> = { readonly value: Value; readonly raised: readonly RaisedVersion[] }

/** The error that the management API sends for a refused change. */
export type RefusalKind = 'not_found' | 'already_exists' | 'conflict' | 'invalid_value'

/** A change that the data does not allow. The message is shown to the person who requested it. */
export class ChangeRefused extends OperatorError {
  override readonly name = 'ChangeRefused'
  readonly kind: RefusalKind

  constructor(
    message: string,
    { kind = 'conflict', cause }: { readonly kind?: RefusalKind; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.kind = kind
  }
}

const UNIQUE_VIOLATION = '23505'
const CHECK_VIOLATION = '23514'

/** Messages for the constraints of `migrations/`. */
const CONSTRAINTS: Readonly<Record<string, string>> = {
  accounts_email_key: 'an account with this email address already exists',
  accounts_email_check: 'the email address is not valid',
  organizations_slug_key: 'an organization with this slug already exists',
  organizations_slug_check:
    'the slug must have 1 to 63 lower-case letters, digits or hyphens, and no hyphen at the ends',
  organizations_name_check: 'the name must have 1 to 200 characters and no control characters',
  organizations_consent_check:
    'retention "contributor" requires the version of the terms and the account that accepted them',
  organizations_terms_check:
    'the version of the terms must have 1 to 100 characters and no control characters',
  projects_organization_id_name_key: 'the organization already has a project with this name',
  projects_name_check: 'the name must have 1 to 100 characters and no control characters',
  invitations_email_key: 'this address is invited already: send the invitation again',
  invitations_email_check: 'the email address is not valid',
  management_keys_name_check: 'the name must have 1 to 100 characters and no control characters',
  scim_tokens_name_check: 'the name must have 1 to 100 characters and no control characters',
  scim_users_user_name_key: 'a user with this userName already exists',
  api_keys_name_check: 'the name must have 1 to 100 characters and no control characters',
  api_keys_models_check: 'a key must allow 1 to 1000 models',
  api_keys_requests_per_minute_check: 'requests per minute must be between 0 and 10000000000',
  api_keys_spending_limit_check: 'a spending limit must not be negative',
  api_keys_revoke_reason_check: 'the reason must have 1 to 200 characters',
}

/** Runs a change and turns a violated constraint into a `ChangeRefused` with a readable message. */
export async function explainConstraints<Value>(change: () => Promise<Value>): Promise<Value> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    if (error.code !== UNIQUE_VIOLATION && error.code !== CHECK_VIOLATION) throw error
    const message = CONSTRAINTS[error.constraint ?? '']
    throw new ChangeRefused(message ?? `the change violates constraint ${error.constraint}`, {
      kind: error.code === UNIQUE_VIOLATION ? 'already_exists' : 'invalid_value',
      cause: error,
    })
  }
}
