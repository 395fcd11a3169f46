import type { Kysely } from 'kysely'
import { OperatorError } from '../lib/operator-error.ts'
import type { Config } from '../config/load.ts'
import type { Tables } from '../store/postgres/tables.ts'
import type { RaisedVersion } from '../store/tenants/versions.ts'

/** Configuration and connections of one CLI command. */
export type Operator = {
  readonly config: Config
  readonly database: Kysely<Tables>
  /** Makes every replica re-evaluate the callers of these organizations before it returns. */
  raise(raised: readonly RaisedVersion[]): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Modules are imported lazily so that showing the help stays fast. */
export async function openOperator(): Promise<Operator> {
  const { loadConfigFromProcess } = await import('../config/load.ts')
  const { openPostgres } = await import('../store/postgres/postgres.ts')
  const config = loadConfigFromProcess()
  const postgres = openPostgres(config.database_url, { connectionsMax: 1 })
  return {
    config,
    database: postgres.database,
    raise: (raised) => sendVersions(config.valkey_urls, raised),
    async [Symbol.asyncDispose]() {
      await postgres[Symbol.asyncDispose]()
    },
  }
}

async function sendVersions(
  valkeyUrls: readonly string[],
  raised: readonly RaisedVersion[],
): Promise<void> {
  if (raised.length === 0) return
  const { createLimits } = await import('../store/limits/limits.ts')
  const { LimitsUnavailable } = await import('../tenancy/rate-limits.ts')
  const { openValkey } = await import('../store/valkey/valkey.ts')
  await using valkey = openValkey(valkeyUrls)
  await using limits = createLimits(valkey)
  try {
    // Sequential, because an account may be a member of very many organizations.
    for (const { organizationId, version } of raised) {
      await limits.raiseVersion(organizationId, version)
    }
  } catch (error) {
    if (!(error instanceof LimitsUnavailable)) throw error
    throw new OperatorError(
      'the change is stored, but Valkey is unavailable, so running servers may not apply it to ' +
        'known callers yet: repeat the command when Valkey is available',
      { cause: error },
    )
  }
}
