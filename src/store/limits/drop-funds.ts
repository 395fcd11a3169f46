import { forEachLimited } from '../../lib/for-each-limited.ts'
import { organizationKeys } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'

const CALLS_AT_ONCE = 64

/** Whose funds: an organization's, or those of API keys that count their limits under this id. */
export type FundsOwner = { readonly organizationId: string; readonly limitsId?: string }

/**
 * Deletes what is stored of these funds, so that the next request reads them from PostgreSQL.
 * Returns how many were stored. With `count` it only counts them.
 */
export async function dropFunds(
  valkey: Pick<Valkey, 'call'>,
  owners: readonly FundsOwner[],
  act: 'count' | 'drop',
): Promise<number> {
  let stored = 0
  await forEachLimited(CALLS_AT_ONCE, owners, async ({ organizationId, limitsId }) => {
    const { funds, key } = organizationKeys(organizationId)
    const name = limitsId === undefined ? funds : `${key}${limitsId}`
    stored += (await valkey.call(act === 'drop' ? 'UNLINK' : 'EXISTS', [name])) as number
  })
  return stored
}
