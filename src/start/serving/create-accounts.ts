import type { Config } from '../../config/load.ts'
import { clientAddress } from '../../http/client-address.ts'
import type { Accounts } from '../../inference/identify.ts'
import type { Log } from '../../lib/log.ts'
import { readAddress } from '../../lib/addresses/networks.ts'
import { createProxyNote } from '../../platform/use-case/note-unknown-proxy.ts'
import type { Limits } from '../../store/limits/limits.ts'
import type { Postgres } from '../../store/postgres/postgres.ts'
import { rememberUnknownProxy } from '../../store/sign-in/unknown-proxy.ts'
import { createIdentityCache, type IdentityCache } from '../../store/tenants/identity-cache.ts'
import type { LastUsed } from '../../store/tenants/last-used.ts'
import { createVersionRepair } from '../../store/tenants/versions.ts'
import type { Valkey } from '../../store/valkey/valkey.ts'
import { readCredential } from '../../tenancy/credential.ts'
import { readPlans } from '../../tenancy/plan.ts'
import { createSigningKey, playgroundRealm } from '../../tenancy/playground-credential.ts'
import { checkBilling, checkNetwork, checkStanding } from '../../tenancy/standing.ts'

export type AccountParts = {
  readonly postgres: Postgres
  readonly valkey: Valkey
  readonly lastUsed: LastUsed
  readonly limits: Limits
  readonly log: Log
}

/** The current key, if there is one, then those that are accepted besides. */
export function signingSecrets({ signing_key: current, accepted_signing_keys: accepted }: Config) {
  return current === undefined ? [] : [current, ...accepted]
}

/** Accounts under the plans of a configuration; all of them share one cache of identities. */
export function createAccountsFor(
  fixed: Config,
  parts: AccountParts,
): (config: Pick<Config, 'plans' | 'models'>) => Accounts {
  const { postgres, valkey, lastUsed, limits, log } = parts
  const identities = openIdentities(postgres, valkey)
  const { trusted_proxies: trustedProxies } = fixed.api
  const noteUnknownProxy = createProxyNote(
    () => log.warn({}, 'requests have X-Forwarded-For, but api.trusted_proxies is 0'),
    () => rememberUnknownProxy(valkey, 'api'),
  )
  const hasPayments = fixed.payments !== undefined
  const keepsContent = fixed.content_key !== undefined
  const realm = playgroundRealm(fixed.api)
  const signingKeys = signingSecrets(fixed).map((secret) => createSigningKey(secret))
  const restoreVersion = createVersionRepair(postgres.database, log)
  return (config) => {
    const plans = readPlans(config.plans, config.models)
    return {
      retentionHeader: fixed.api.retention_header,
      keepsContent,
      read: (token) => readCredential(token, realm, signingKeys, Date.now()),
      find: (credential, bypassCache) => identities.find(credential, bypassCache),
      findNewerVersion: (ask) => limits.findNewerVersion(ask),
      restoreVersion,
      check(identity, operation, request) {
        const nowMs = Date.now()
        if (trustedProxies === 0 && request.headers['x-forwarded-for'] !== undefined)
          noteUnknownProxy()
        const caller = checkStanding(identity, { plans, keepsContent }, nowMs)
        if (identity !== undefined) {
          checkNetwork(identity, () => readAddress(clientAddress(request, trustedProxies)))
          if (operation === 'chat completion') checkBilling(identity, hasPayments)
        }
        if (caller.credentialKind === 'api_key') lastUsed.note(caller.credentialId, nowMs)
        return caller
      },
    }
  }
}

/** A server of Valkey that was lost may have taken versions with it. */
function openIdentities({ pool }: Postgres, valkey: Valkey): IdentityCache {
  const identities = createIdentityCache(pool)
  valkey.onLoss(() => identities.refreshSoon())
  return identities
}
