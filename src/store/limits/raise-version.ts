import { setTimeout as pause } from 'node:timers/promises'
import { linearBackoffMs } from '../../lib/backoff.ts'
import { DAY_MS } from '../../lib/time.ts'
import { LimitsUnavailable } from '../../tenancy/rate-limits.ts'
import { ACKNOWLEDGE_MS } from '../valkey/acknowledge.ts'
import { organizationKeys } from '../valkey/keys.ts'
import { readScript } from '../valkey/scripts.ts'
import { ValkeyUnavailable, type Valkey, type ValkeyCommand } from '../valkey/valkey.ts'

const RAISE_SCRIPT = readScript(import.meta.url, 'raise-version.lua')

/** As limits.lua keeps it. */
const KEEP_MS = 2 * DAY_MS

/** A failover takes up to two seconds. */
const HOLD_MS = 2_500
const RETRY_MS = 40
const RETRY_MS_MAX = 160

export type VersionRaise = {
  /** The version that Valkey knew before. */
  readonly known: number
  /** Whether every replica has the new one, so that no failover can bring the old one back. */
  readonly acknowledged: boolean
}

/**
 * Makes every cached identity of the organization with a lower version stale, on every replica that
 * the server has, and at least on `replicasMin`. Waiting for replicas blocks the connection. Throws
 * `LimitsUnavailable` if Valkey stays unavailable.
 */
export async function raiseVersion(
  valkey: Pick<Valkey, 'pipeline'>,
  { organizationId, version }: { readonly organizationId: string; readonly version: number },
  replicasMin = 0,
): Promise<VersionRaise> {
  const key = organizationKeys(organizationId).version
  const raise: ValkeyCommand = ['EVAL', RAISE_SCRIPT, 1, key, version, KEEP_MS]
  const untilMs = performance.now() + HOLD_MS
  for (let attempt = 1; ; attempt += 1) {
    try {
      const [known, role] = await send(valkey, [raise, ['ROLE']])
      const replicas = Math.max(replicasMin, countReplicas(role))
      if (replicas === 0) return { known: known as number, acknowledged: true }
      // Commands without a key go to the node of the one before them, so it is sent again.
      const [, reached] = await send(valkey, [raise, ['WAIT', replicas, ACKNOWLEDGE_MS]])
      return { known: known as number, acknowledged: (reached as number) >= replicas }
    } catch (error) {
      if (!(error instanceof ValkeyUnavailable)) throw error
      if (performance.now() >= untilMs)
        throw new LimitsUnavailable('Valkey is unavailable', { cause: error })
    }
    await pause(linearBackoffMs(attempt, RETRY_MS, RETRY_MS_MAX))
  }
}

async function send(
  valkey: Pick<Valkey, 'pipeline'>,
  commands: readonly ValkeyCommand[],
): Promise<unknown[]> {
  const replies = await valkey.pipeline(commands)
  for (const reply of replies) if (reply instanceof Error) throw reply
  return replies
}

/** Of a primary: its name, its offset, and its replicas that are in step. */
function countReplicas(role: unknown): number {
  const [, , replicas] = role as [string, number, unknown]
  return Array.isArray(replicas) ? replicas.length : 0
}
