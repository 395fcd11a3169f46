import { rolesWith, type OrganizationPermission } from '../../../src/tenancy/permissions.ts'
import { useApi } from '../api/use-reading.ts'
import { useOrganization } from './organization.tsx'

const MEMBERS_READ = 100
const NAMES_SHOWN = 3

/** Some of the members who may do what oneself may not: whom to ask. */
export function useNamesWith(permission: OrganizationPermission): string[] {
  const { path } = useOrganization()
  const allowed = rolesWith(permission)
  const members = useApi('GET /organizations/{organization}/members', {
    path,
    query: { limit: MEMBERS_READ },
  }).data?.data
  return (members ?? [])
    .filter((member) => allowed.includes(member.role))
    .slice(0, NAMES_SHOWN)
    .map(({ name, email }) => name ?? email)
}
