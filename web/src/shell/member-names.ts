import { useApi } from '../api/use-api.ts'
import { useOrganization } from './organization.tsx'

const MEMBERS_READ = 100
const FRESH_MS = 60_000

/**
 * Names of members by id, for what names people by their id. Of the newest hundred; whoever is not
 * among them, or has left, is undefined.
 */
export function useMemberNames(): (id: string) => string | undefined {
  const { path } = useOrganization()
  const members = useApi(
    'GET /organizations/{organization}/members',
    { path, query: { limit: MEMBERS_READ } },
    { freshFor: FRESH_MS },
  )
  return (id) => {
    const member = members.data?.data.find((each) => each.id === id)
    return member?.name ?? member?.email
  }
}
