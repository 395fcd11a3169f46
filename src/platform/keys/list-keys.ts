import type { KeyQuery } from '../../contract/management/key.ts'
import { ApiError } from '../../contract/error.ts'
import { isUuid } from '../../store/postgres/page.ts'
import { countListed, listApiKeys } from '../../store/tenants/list-api-keys.ts'
import { findProject } from '../../store/tenants/projects.ts'
import type { Access } from '../use-case/authorize.ts'
import { orderOf, readPage, withTotal } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewKey } from './view-key.ts'

/** Newest first unless asked otherwise. Members see their own. */
export const listKeys = defineRead(
  { action: 'key.list', permission: 'keys:read' },
  async ({ environment, database, access }, query: KeyQuery) => {
    const organizationId = access.organization.id
    const ownerId = ownerOf(access, query.owner)
    const projectId =
      query.project === undefined
        ? undefined
        : (await findProject(database, organizationId, query.project)).id
    const filter = {
      organizationId,
      ...(projectId !== undefined && { projectId }),
      ...(ownerId !== undefined && { ownerId }),
      ...(query.q !== undefined && { term: query.q }),
      activeOnly: query.state === 'active',
    }
    const order = orderOf({ sort: 'created', ...query })
    const list = await readPage(
      query,
      (page) => listApiKeys(database, filter, { ...page, order }),
      (key) => viewKey(key, environment.settings),
      (key) => key.id,
    )
    return withTotal(query, list, (atMost) => countListed(database, filter, atMost))
  },
)

/** Whose keys are listed: undefined for all, null for those of the organization. */
function ownerOf({ actor, grant }: Access, owner: string | undefined): string | null | undefined {
  const self = actor.kind === 'person' ? actor.account.id : undefined
  if (grant === 'own' || owner === 'me') {
    if (self !== undefined && (owner === undefined || owner === 'me' || owner === self)) return self
    throw invalidOwner(grant === 'own' ? 'me' : 'organization or the id of an account')
  }
  if (owner === undefined) return undefined
  if (owner === 'organization') return null
  if (isUuid(owner)) return owner
  throw invalidOwner('me, organization or the id of an account')
}

function invalidOwner(must: string): ApiError {
  return new ApiError('invalid_value', `'owner' must be ${must}.`, { param: 'owner' })
}
