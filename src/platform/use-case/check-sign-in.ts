import type { Kysely } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { findConnection } from '../../store/sign-in/sso-connections.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import type { Actor } from '../../tenancy/actor.ts'
import { connectionsOf, hasSecondFactor } from '../../tenancy/sign-in-methods.ts'
import type { Access } from './authorize.ts'
import type { Environment } from './environment.ts'

/**
 * Whether the way in which a person signed in is enough: for the operator, and for the organization
 * that they are a member of. Asked on every call, so that a stricter rule counts at once.
 */
export async function checkSignIn(
  { database, settings }: Pick<Environment, 'database' | 'settings'>,
  { account, session }: Actor & { kind: 'person' },
  { organization, role }: Pick<Access, 'role'> & { readonly organization: Rules | null },
): Promise<void> {
  const rules = role === null ? null : organization
  const { require_second_factor: required } = settings.console
  const asked = required === 'all' || (required === 'operators' && account.platformRole !== null)
  const strong = hasSecondFactor(session.methods)
  if (rules?.sso_only !== true && (strong || (!asked && rules?.second_factor_required !== true)))
    return
  const throughSso =
    rules !== null && (await isSignedInThrough(database, rules.id, session.methods))
  if (rules?.sso_only === true && !throughSso)
    throw new ApiError(
      'role_required',
      'This organization requires that you sign in with its identity provider.',
    )
  // Whoever works for the whole service is not trusted to the provider of one organization.
  if (strong || (throughSso && account.platformRole === null)) return
  throw new ApiError(
    'second_factor_required',
    'This needs a second factor. Set one up in your account, or sign in with a passkey.',
  )
}

type Rules = {
  readonly id: string
  readonly sso_only: boolean
  readonly second_factor_required: boolean
}

/** Whether the session came from a provider of this very organization. */
export async function isSignedInThrough(
  database: Kysely<Tables>,
  organizationId: string,
  methods: readonly string[],
): Promise<boolean> {
  for (const id of connectionsOf(methods)) {
    const connection = await findConnection(database, id)
    if (connection?.organization_id === organizationId) return true
  }
  return false
}
