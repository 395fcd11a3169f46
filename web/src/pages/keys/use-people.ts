import { useApi } from '../../api/use-api.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { useMe } from '../../shell/session.ts'
import { keys } from '../../words/keys.ts'

const MEMBERS_READ = 100

/** Names of the people who own keys, of the first hundred members. */
export function usePeople() {
  const { path } = useOrganization()
  const me = useMe().data
  const members = useApi('GET /organizations/{organization}/members', {
    path,
    query: { limit: MEMBERS_READ },
  }).data
  const emails = new Map(members?.data.map(({ id, email }) => [id, email]))
  if (me !== undefined) emails.set(me.id, me.email)
  return {
    me,
    members: members?.data ?? [],
    /** Null is the organization. */
    nameOf: (id: string | null): string =>
      id === null ? keys.organization : (emails.get(id) ?? keys.formerMember),
  }
}
