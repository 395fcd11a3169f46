import { OperatorError } from '../../lib/operator-error.ts'
import { DatabaseError } from 'pg'
import type { RaisedVersion } from './versions.ts'

/**
 * What a change left behind, and the organizations whose callers must be judged afresh because of
 * it.
 */
export type Changed<Value> = { readonly value: Value; readonly raised: readonly RaisedVersion[] }

/** A change that the data does not allow. Its message is for whoever asked for the change. */
export class ChangeRefused extends OperatorError {
  override readonly name = 'ChangeRefused'
}

const UNIQUE_VIOLATION = '23505'
const CHECK_VIOLATION = '23514'

/** What the constraints of `migrations/` mean to whoever ran into them. */
const CONSTRAINTS: Readonly<Record<string, string>> = {
  accounts_email_key: 'an account with this e-mail address exists already',
  accounts_email_check: 'this is not an e-mail address',
  organizations_slug_key: 'an organization with this slug exists already',
  organizations_slug_check:
    'a slug has 1 to 63 lower-case letters, digits and hyphens, and no hyphen at either end',
  organizations_name_check: 'a name has 1 to 200 characters and no control characters',
  organizations_consent_check:
    'retention "contributor" needs the version of the terms and the account that accepted them',
  organizations_terms_check: 'a version of terms has 1 to 100 characters and no control characters',
  projects_organization_id_name_key: 'the organization has a project with this name already',
  projects_name_check: 'a name has 1 to 100 characters and no control characters',
  api_keys_name_check: 'a name has 1 to 100 characters and no control characters',
}

/**
 * Runs a change and turns a broken constraint into a sentence. Everything else goes through as it
 * is.
 */
export async function refuseByConstraint<Value>(change: () => Promise<Value>): Promise<Value> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    if (error.code !== UNIQUE_VIOLATION && error.code !== CHECK_VIOLATION) throw error
    const meaning = CONSTRAINTS[error.constraint ?? '']
    throw new ChangeRefused(meaning ?? `the database refused this (${error.constraint})`, {
      cause: error,
    })
  }
}
