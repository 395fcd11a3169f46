import { useApi } from '../../api/use-api.ts'
import { utcMonth } from '../../format/month.ts'
import { useOrganization } from '../../shell/organization.tsx'

const EVERY_MS = 30_000

/** What each project spent in this UTC month, in micro-units; undefined while it is not known. */
export function useSpentByProject(): ((projectId: string) => number | undefined) | undefined {
  const { path, may } = useOrganization()
  const { from } = utcMonth(Date.now())
  const usage = useApi(
    'GET /organizations/{organization}/usage',
    { path, query: { from, by: ['project'] } },
    { enabled: may('billing:read'), every: EVERY_MS },
  )
  // Members see their own usage only: no sum of the project.
  if (!may('billing:read')) return undefined
  return (projectId) =>
    usage.data === undefined
      ? undefined
      : (usage.data.data.find(({ project }) => project?.id === projectId)?.cost.amount_micro ?? 0)
}
