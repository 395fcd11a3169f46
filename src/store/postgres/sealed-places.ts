/** Where secrets are stored that keys derived from the signing key seal. */
export const SEALED_PLACES = [
  { purpose: 'one-time factor', table: 'one_time_factors', owner: 'account_id', column: 'sealed' },
  { purpose: 'sso client secret', table: 'sso_connections', owner: 'id', column: 'sealed_secret' },
  { purpose: 'webhook secret', table: 'spending_alerts', owner: 'id', column: 'webhook_secret' },
  { purpose: 'webhook secret', table: 'audit_streams', owner: 'id', column: 'sealed_secret' },
] as const

export type SealedPlace = (typeof SEALED_PLACES)[number]

/** Sealed bytes begin with the id of the key that sealed them. */
const KEY_ID_BYTES = 8

/** How many secrets each key has sealed; `key_id` is in hexadecimal digits. */
export type SealedCount = {
  readonly purpose: SealedPlace['purpose']
  readonly key_id: string
  readonly count: number
}

export const COUNT_SEALED = SEALED_PLACES.map(
  ({ purpose, table, column }) => `
    select '${purpose}' as purpose, count(*)::int as count,
           encode(substring(${column} from 1 for ${KEY_ID_BYTES}), 'hex') as key_id
    from ${table} where ${column} is not null group by key_id`,
).join(' union all ')

/** The roles of the API and the worker read no sealed secret. */
export const MAY_READ_SEALED = `select ${SEALED_PLACES.map(
  ({ table, column }) => `has_column_privilege('${table}', '${column}', 'select')`,
).join(' and ')} as allowed`
