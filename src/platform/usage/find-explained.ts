import { findRequest } from '../../store/ledger/requests.ts'
import { isUuid } from '../../store/postgres/page.ts'
import { findRefusal } from '../../store/usage/read-refusals.ts'
import { explain, type Explanation } from '../../tenancy/explanation.ts'
import type { Environment } from '../use-case/environment.ts'
import { withValkey } from './with-valkey.ts'

/**
 * What is known of a request, of this organization if one is given. Without one a refused request
 * is not found.
 */
export async function findExplained(
  { database, valkey }: Pick<Environment, 'database' | 'valkey'>,
  id: string,
  organizationId: string | undefined,
): Promise<Explanation | undefined> {
  if (!isUuid(id)) return undefined
  const record = await findRequest(database, id.toLowerCase())
  const owner = record?.organizationId ?? organizationId
  if (owner === undefined || (organizationId !== undefined && owner !== organizationId))
    return undefined
  const refusal = await withValkey(() => findRefusal(valkey, owner, id.toLowerCase())).catch(
    (error: unknown) => {
      // A record explains the request without it.
      if (record !== undefined) return undefined
      throw error
    },
  )
  return record === undefined && refusal === undefined ? undefined : explain(record, refusal)
}
