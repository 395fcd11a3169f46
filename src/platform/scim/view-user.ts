import { SCHEMAS, type ScimResource } from '../../contract/scim/resources.ts'
import type { ScimUser } from '../../store/people/scim-users.ts'

/** Without members that are null: SCIM leaves out what has no value. */
export function viewUser(root: string, user: ScimUser): ScimResource {
  const { id, externalId, displayName, givenName, familyName } = user
  const name = {
    ...(givenName !== null && { givenName }),
    ...(familyName !== null && { familyName }),
  }
  return {
    schemas: [SCHEMAS.user],
    id,
    ...(externalId !== null && { externalId }),
    userName: user.userName,
    ...(Object.keys(name).length > 0 && { name }),
    ...(displayName !== null && { displayName }),
    active: user.state === 'active',
    emails: [{ value: user.email, type: 'work', primary: true }],
    meta: {
      resourceType: 'User',
      created: user.createdAt.toISOString(),
      lastModified: user.updatedAt.toISOString(),
      location: `${root}/Users/${id}`,
    },
  }
}
