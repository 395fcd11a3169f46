import { ApiError } from '../../contract/error.ts'
import { joinIgnored } from '../../contract/ignorable-parameters.ts'
import type { KeyChange } from '../../contract/management/key.ts'
import type { KeyChanges } from '../../store/tenants/api-keys.ts'
import type { Settings } from '../use-case/environment.ts'
import { readMoney } from '../use-case/read-money.ts'
import { readFutureTime } from '../use-case/times.ts'

/** What a client asks for, as it is stored. Absent settings stay absent. */
export function readSettings(asked: KeyChange, { models, currency }: Settings): KeyChanges {
  const { name, expires_at: expires, spending_limit: limit } = asked
  if (asked.models !== undefined && asked.models !== null) checkModels(asked.models, models)
  return {
    ...(name !== undefined && { name }),
    ...(asked.models !== undefined && { models: asked.models }),
    ...(asked.ignored_parameters !== undefined && {
      ignoredParameters: joinIgnored(asked.ignored_parameters),
    }),
    ...(asked.requests_per_minute !== undefined && {
      requestsPerMinute: asked.requests_per_minute,
    }),
    ...(expires !== undefined && {
      expiresAt: expires === null ? null : readFutureTime(expires, 'expires_at'),
    }),
    ...(limit !== undefined && {
      spendingLimit: limit === null ? null : readMoney(limit, currency, 'spending_limit'),
    }),
  }
}

function checkModels(asked: readonly string[], models: Settings['models']): void {
  const known = new Set(models.map(({ id }) => id))
  const unknown = asked.findIndex((id) => !known.has(id))
  if (unknown === -1) return
  const param = `models[${unknown}]`
  throw new ApiError('invalid_value', `'${param}' must be the id of a model.`, { param })
}
