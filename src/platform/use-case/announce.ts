import { setTimeout as pause } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { ApiError } from '../../contract/error.ts'
import { linearBackoffMs } from '../../lib/backoff.ts'
import { removeAnnounced } from '../../store/people/announcements.ts'
import { raiseVersion } from '../../store/limits/raise-version.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import { raiseVersionAbove, type RaisedVersion } from '../../store/tenants/versions.ts'
import { announceOrders } from '../../store/fleet/engine-orders.ts'
import { ValkeyUnavailable, type Valkey } from '../../store/valkey/valkey.ts'
import { LimitsUnavailable } from '../../tenancy/rate-limits.ts'

type Announcing = {
  readonly database: Kysely<Tables>
  readonly valkey: Pick<Valkey, 'pipeline'>
  /** Replicas of Valkey that must confirm. */
  readonly replicasMin: number
}

/** Announces raised versions to Valkey and takes them off the outbox. */
export async function announceVersions(
  { database, valkey, replicasMin }: Announcing,
  raised: readonly RaisedVersion[],
): Promise<void> {
  let acknowledged = true
  const send = async (version: RaisedVersion) => {
    const sent = await raiseVersion(valkey, version, replicasMin)
    if (sent.acknowledged) await removeAnnounced(database, version)
    else acknowledged = false
    return sent.known
  }
  try {
    // Sequential, because an account may be a member of very many organizations.
    for (const version of raised) {
      const known = await send(version)
      // PostgreSQL may have given out this version before, and lost it in a failover: identities
      // that were read then would not be stale. Mostly a server was only faster than this call.
      const above =
        known < version.version
          ? undefined
          : await raiseVersionAbove(database, version.organizationId, known)
      if (above !== undefined) await send(above)
    }
  } catch (cause) {
    if (!(cause instanceof LimitsUnavailable)) throw cause
    throw new ApiError(
      'change_not_propagated',
      'The change is stored, but Valkey is unavailable, so running servers may not apply it to ' +
        'known callers yet. It is announced as soon as Valkey is back.',
      { cause, headers: { 'retry-after': '5' } },
    )
  }
  if (!acknowledged)
    throw new ApiError(
      'change_not_propagated',
      'The change is stored and in effect, but a replica of Valkey has not confirmed it, so a ' +
        'failover could undo it for known callers until it is announced again.',
      { headers: { 'retry-after': '5' } },
    )
}

/** A failover takes up to two seconds. */
const HOLD_MS = 2_500
const RETRY_MS = 40
const RETRY_MS_MAX = 160

/** Announces the orders to engines to Valkey. */
export async function announceEngineOrders(
  database: Kysely<Tables>,
  valkey: Pick<Valkey, 'call'>,
): Promise<void> {
  const untilMs = performance.now() + HOLD_MS
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await announceOrders(database, valkey)
    } catch (cause) {
      if (!(cause instanceof ValkeyUnavailable)) throw cause
      if (performance.now() >= untilMs) throw orderNotAnnounced(cause)
    }
    await pause(linearBackoffMs(attempt, RETRY_MS, RETRY_MS_MAX))
  }
}

function orderNotAnnounced(cause: Error): ApiError {
  return new ApiError(
    'change_not_propagated',
    'The order is stored, but Valkey is unavailable, so running servers do not know it yet. ' +
      'It is announced as soon as Valkey is back.',
    { cause, headers: { 'retry-after': '5' } },
  )
}
