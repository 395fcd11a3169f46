import { OperatorError } from '../../lib/operator-error.ts'
import { DatabaseError } from 'pg'
import type { RaisedVersion } from './versions.ts'

/** The result of a change, and the organizations whose cached identities it made stale. */
export type Changed<Value> = { readonly value: Value; readonly raised: readonly RaisedVersion[] }

/** A change that the data does not allow. The message is shown to the person who requested it. */
export class ChangeRefused extends OperatorError {
  override readonly name = 'ChangeRefused'
}

const UNIQUE_VIOLATION = '23505'
const CHECK_VIOLATION = '23514'

/** Messages for the constraints of `migrations/`. */
const CONSTRAINTS: Readonly<Record<string, string>> = {
  accounts_email_key: 'an account with this e-mail address already exists',
  accounts_email_check: 'the e-mail address is not valid',
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
  api_keys_name_check: 'the name must have 1 to 100 characters and no control characters',
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
      cause: error,
    })
  }
}
