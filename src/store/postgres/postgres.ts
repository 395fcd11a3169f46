import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { DatabaseError, Pool, types, type PoolConfig } from 'pg'
import type { Tables } from './tables.ts'

/**
 * A frozen server must not block its callers. Includes the wait for a free connection of the pool.
 */
export const CONNECTION_TIMEOUT_MS = 2000
const QUERY_TIMEOUT_MS = 2000

/** For a command, which does one thing after the other. */
const CONNECTIONS_MAX = 10

const IDLE_MS = 30_000

const BIGINT_OID = 20

export type Postgres = {
  /** For prepared statements and for batches. */
  readonly pool: Pool
  /** For everything else, with type-checked statements. */
  readonly database: Kysely<Tables>
  [Symbol.asyncDispose](): Promise<void>
}

type ServingName = 'headrace api' | 'headrace worker'

/** Connects lazily: an unavailable server fails the first query, not this call. */
export function openPostgres(
  url: string,
  options: {
    readonly connectionsMax?: number
    readonly queryTimeoutMs?: number
    /** How PostgreSQL lists the connections of a serving process. */
    readonly name?: ServingName
  } = {},
): Postgres {
  const queryTimeoutMs = options.queryTimeoutMs ?? QUERY_TIMEOUT_MS
  const config: PoolConfig = {
    connectionString: url,
    application_name: options.name ?? 'headrace',
    max: options.connectionsMax ?? CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    // The server cancels the statement at the first; the second covers a server that is frozen.
    statement_timeout: queryTimeoutMs,
    query_timeout: queryTimeoutMs,
    types: { getTypeParser },
  }
  const pool = new Pool(config)
  // Without a listener the loss of an idle connection would crash the process. The pool removes it.
  pool.on('error', () => {})
  // The same for a connection that is lost between two statements: the next statement fails.
  pool.on('connect', (client) => void client.on('error', () => {}))
  const database = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: discardBroken(pool) }),
  })
  return {
    pool,
    database,
    async [Symbol.asyncDispose]() {
      // Not `database.destroy()`, which leaves the pool open if the query builder never used it.
      await pool.end()
    },
  }
}

/**
 * A connection with an outstanding reply must not be reused: its next user would wait in vain. The
 * pool discards it after its own queries; this does so for the query builder's.
 */
function discardBroken(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      let broken = false
      const query = async (sql: string, parameters: readonly unknown[]) => {
        try {
          return await client.query(sql, [...parameters])
        } catch (error) {
          broken ||= isUnavailable(error)
          throw error
        }
      }
      return {
        // The other overload takes a cursor and is used only for streaming rows.
        query: query as unknown as PostgresPoolClient['query'],
        release: (destroy = false) => client.release(destroy || broken),
      }
    },
  }
}

// Our bigint columns are limits and versions, far below 2^53, so a number is exact.
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: unknown) =>
  oid === BIGINT_OID && format !== 'binary'
    ? (text: string) => Number(text)
    : (types.getTypeParser as (oid: number, format?: unknown) => never)(oid, format)

const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // A unix socket without a server.
  'ENOENT',
])

// Class 08 is the connection, class 53 a server out of connections, memory or disk, 57014 our
// statement timeout; 57P01 to 57P05 are shutdown, crash, startup in progress, and a dropped
// database or session.
const UNAVAILABLE_SQL_STATES = ['08', '53', '57014', '57P0']

// The driver gives these no code.
const UNAVAILABLE_MESSAGES = [
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
]

/** Whether PostgreSQL is unavailable, as opposed to rejecting the statement. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    return UNAVAILABLE_SQL_STATES.some((state) => error.code?.startsWith(state))
  }
  // For a host with several addresses Node reports one error that contains one per address.
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every(isUnavailable)
  if (!(error instanceof Error)) return false
  if (
    'code' in error &&
    typeof error.code === 'string' &&
    UNAVAILABLE_SYSTEM_CODES.has(error.code)
  ) {
    return true
  }
  return UNAVAILABLE_MESSAGES.some((message) => error.message.startsWith(message))
}

/**
 * Whether a value was rejected by its type or by a constraint of this table or its partitions, so
 * that a retry would fail too. A row that does not fit its partition violates no named constraint,
 * and a retry succeeds: the partition was created while the row was being inserted.
 */
export function isInvalidValue(error: unknown, table: string): boolean {
  if (!(error instanceof DatabaseError)) return false
  const ofTable = error.table?.startsWith(table) === true && error.constraint !== undefined
  return error.code?.startsWith('22') === true || (ofTable && error.code?.startsWith('23') === true)
}

const NOT_MIGRATED_SQL_STATES = new Set(['42P01', '42703'])

/** Whether a table or column is missing: the database is older than the program. */
export function isNotMigrated(error: unknown): boolean {
  return error instanceof DatabaseError && NOT_MIGRATED_SQL_STATES.has(error.code ?? '')
}

/** Whether another process has created the table in the meantime. */
export function isExistingTable(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '42P07'
}

/** Whether a lock was not free within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55P03'
}
