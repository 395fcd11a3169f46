import { ApiError } from '../../contract/error.ts'
import type { UsageFilter } from '../../store/ledger/sum-usage.ts'
import type { Access } from '../use-case/authorize.ts'

type FilterQuery = {
  readonly project?: string
  readonly key?: string
  readonly member?: string
  readonly model?: string
}

/** The account that a caller is confined to; undefined if all of the organization is theirs. */
export function ownAccount({ grant, actor }: Pick<Access, 'grant' | 'actor'>): string | undefined {
  if (grant === 'all') return undefined
  if (actor.kind !== 'person') throw new Error('only people own things')
  return actor.account.id
}

/** The filters of a query, confined to what the caller may see. */
export function readFilter(access: Access, query: FilterQuery): UsageFilter {
  const { project, key, member, model } = query
  const own = ownAccount(access)
  if (own !== undefined && member !== undefined && member !== own)
    throw new ApiError('role_required', 'Members see their own usage and requests only.')
  const accountId = own ?? member
  return {
    ...(project !== undefined && { projectId: project }),
    ...(key !== undefined && { credentialId: key }),
    ...(accountId !== undefined && { accountId }),
    ...(model !== undefined && { model }),
  }
}
