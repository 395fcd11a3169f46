import type { CreatedKey, NewKey } from '../../contract/management/key.ts'
import { ApiError } from '../../contract/error.ts'
import { storeApiKey } from '../../store/tenants/api-keys.ts'
import { findProject } from '../../store/tenants/projects.ts'
import { createApiKey } from '../../tenancy/api-key.ts'
import type { Access } from '../use-case/authorize.ts'
import { defineChange } from '../use-case/use-case.ts'
import { holdGivenLimits } from './hold-limits.ts'
import { readSettings } from './read-settings.ts'
import { viewKey } from './view-key.ts'

export type CreateKeyInput = Omit<NewKey, 'owner'> & {
  readonly owner?: 'me' | 'organization'
  /** The owning member, by id. Only the operator's command line names one. */
  readonly ownerId?: string | null
}

/** Creates an API key. The secret is in the result and nowhere else. */
export const createKey = defineChange(
  { action: 'key.create', permission: 'keys:write' },
  async ({ environment, transaction, access }, input: CreateKeyInput) => {
    const { settings } = environment
    const organizationId = access.organization.id
    const project = await findProject(transaction, organizationId, input.project ?? 'default')
    const key = createApiKey(settings.api.key_prefix)
    const ownerId = ownerOf(access, input)
    const given = readSettings(input, settings)
    const stored = await storeApiKey(transaction, key, {
      projectId: project.id,
      createdByAccountId: ownerId,
      expiresAt: null,
      ...given,
      heldLimits: holdGivenLimits(access, ownerId, given),
      name: input.name,
    })
    const view = viewKey(stored, settings)
    const value: CreatedKey = { key, ...view }
    return {
      value,
      target: { kind: 'key', id: stored.id, label: stored.name },
      changes: {
        shown_as: [null, view.shown_as],
        project: [null, project.name],
        created_by: [null, view.created_by],
        expires_at: [null, view.expires_at],
        models: [null, view.models],
        ignored_parameters: [null, view.ignored_parameters],
        requests_per_minute: [null, view.requests_per_minute],
        spending_limit: [null, view.spending_limit],
      },
    }
  },
)

function ownerOf({ actor, grant }: Access, { owner, ownerId }: CreateKeyInput): string | null {
  if (actor.kind === 'operator_shell') return ownerId ?? null
  if (actor.kind !== 'person') {
    if (owner !== 'me') return null
    throw new ApiError('invalid_value', "'owner' must be organization with a management key.", {
      param: 'owner',
    })
  }
  if (owner !== 'organization') return actor.account.id
  if (grant === 'all') return null
  throw new ApiError('role_required', 'A key of the organization needs the role admin or owner.')
}
