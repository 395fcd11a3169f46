import { sql, type Kysely } from 'kysely'
import { DAY_MS } from '../../lib/time.ts'
import type { ApiKey } from '../../tenancy/api-key.ts'
import type { Tables } from '../postgres/tables.ts'
import { withinTransaction } from '../postgres/within-transaction.ts'
import { findApiKey, storeApiKey, type KeyReference, type StoredKey } from './api-keys.ts'
import { ChangeRefused, type Changed } from './changes.ts'
import { raiseVersions } from './versions.ts'

export const OVERLAP_MS_MAX = 7 * DAY_MS

export type Rotation = {
  /** How long the old key still works: 0 … `OVERLAP_MS_MAX`. */
  readonly overlapMs: number
  /** Of the new key; that of the old one if absent. */
  readonly expiresAt?: Date | null
}

/**
 * Stores a key with the settings of another one, which ends after the overlap. Both count the same
 * limits, so that a rotation doubles nothing. Returns the new key.
 */
export async function rotateApiKey(
  database: Kysely<Tables>,
  key: KeyReference,
  newKey: ApiKey,
  { overlapMs, expiresAt }: Rotation,
): Promise<Changed<StoredKey>> {
  if (!(overlapMs >= 0 && overlapMs <= OVERLAP_MS_MAX))
    throw new ChangeRefused('a key can overlap with its replacement for 0 hours to 7 days')
  return withinTransaction(database, async (transaction) => {
    const raised = await raiseVersions(transaction, [key.organization_id])
    const old = await findApiKey(transaction, key.id)
    if (old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= new Date()))
      throw new ChangeRefused('the key is revoked or expired; create a new one')
    if (old.replaced_by !== null) throw new ChangeRefused('the key has already been replaced')
    const settings = {
      projectId: old.project_id,
      createdByAccountId: old.created_by,
      name: old.name,
      expiresAt: expiresAt === undefined ? old.expires_at : expiresAt,
      models: old.models,
      ignoredParameters: old.ignored_parameters,
      requestsPerMinute: old.requests_per_minute,
      spendingLimit: old.spending_limit,
      limitsId: old.limits_id ?? old.id,
      heldLimits: old.held_limits,
    }
    const value = await storeApiKey(transaction, newKey, settings)
    const end = sql<Date>`now() + ${overlapMs} * interval '1 millisecond'`
    await transaction
      .updateTable('api_keys')
      .set({
        replaced_by: value.id,
        expires_at: sql<Date>`least(expires_at, ${end})`,
        // So that it ends at once whatever the clocks of other servers say.
        ...(overlapMs === 0 ? { revoked_at: sql<Date>`now()`, revoke_reason: 'replaced' } : {}),
      })
      .where('id', '=', old.id)
      .execute()
    return { value, raised }
  })
}
