import { SCHEMAS, type ScimResource } from '../../contract/scim/resources.ts'
import type { ScimGroup } from '../../store/people/scim-groups.ts'

export function viewGroup(
  root: string,
  { id, displayName, externalId, createdAt, updatedAt }: ScimGroup,
  members: readonly string[],
): ScimResource {
  return {
    schemas: [SCHEMAS.group],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    members: members.map((value) => ({ value, $ref: `${root}/Users/${value}`, type: 'User' })),
    meta: {
      resourceType: 'Group',
      created: createdAt.toISOString(),
      lastModified: updatedAt.toISOString(),
      location: `${root}/Groups/${id}`,
    },
  }
}
