import { ApiError } from '../../contract/error.ts'
import type { RetentionChange } from '../../contract/management/retention.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import { changeOrganization, type OrganizationChanges } from '../../store/tenants/organizations.ts'
import type { Actor } from '../../tenancy/actor.ts'
import type { Settings } from '../use-case/environment.ts'
import { defineChange } from '../use-case/use-case.ts'
import { viewRetention } from './view-retention.ts'

/** Changes what is kept of requests from now on. What was kept before stays until it expires. */
export const changeRetention = defineChange(
  { action: 'retention.change', permission: 'retention:write' },
  async ({ environment: { settings }, transaction, access }, input: RetentionChange) => {
    const { organization: before } = access
    const changes: OrganizationChanges = {
      retention: input.retention,
      ...consentTo(settings, before, access.actor, input),
    }
    const { value, raised } = await changeOrganization(transaction, before.id, changes)
    return {
      value: viewRetention(settings, value),
      target: { kind: 'organization', id: before.id, label: before.slug },
      changes: {
        retention: [before.retention, value.retention],
        contributor_terms_version: [
          before.contributor_terms_version,
          value.contributor_terms_version,
        ],
      },
      raised,
    }
  },
)

/** Whoever consents must have read the version of the terms that is in force now. */
function consentTo(
  { retention: { contributor_terms: terms } }: Settings,
  before: OrganizationRow,
  actor: Actor,
  { retention, terms_version: version }: RetentionChange,
): Pick<OrganizationChanges, 'terms'> {
  const param = 'terms_version'
  if (retention !== 'contributor') {
    if (version === undefined) return {}
    throw new ApiError('invalid_value', `'${param}' belongs to contributor retention.`, { param })
  }
  if (terms === undefined)
    throw new ApiError('conflict', 'The operator offers no contributor retention.')
  if (version !== terms.version)
    throw new ApiError(
      'invalid_value',
      `'${param}' must be the version of the current terms: read them and accept them.`,
      { param },
    )
  // A new consent would end the old one, and with it the use of what was contributed under it.
  if (before.retention === 'contributor' && before.contributor_terms_version === version) return {}
  if (actor.kind !== 'person')
    throw new ApiError('role_required', 'Only an owner can accept the terms.')
  return { terms: { version, acceptedByAccountId: actor.account.id } }
}
