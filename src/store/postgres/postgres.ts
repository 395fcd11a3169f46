import { Kysely, PostgresDialect } from 'kysely'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { DatabaseError, Pool, types } from 'pg'
import type { PoolConfig } from 'pg'
import type { Tables } from './tables.ts'

/**
 * A frozen server must not hang its callers. Waiting for a free connection counts towards this too.
 */
export const CONNECTION_TIMEOUT_MS = 2000
const QUERY_TIMEOUT_MS = 2000

/** PostgreSQL pays for every connection, and the request path asks only when a cache misses. */
const CONNECTIONS_MAX = 10

const IDLE_MS = 30_000

const BIGINT_OID = 20

export type Postgres = {
  /** For statements that are worth a name on the server, and for batches. */
  readonly pool: Pool
  /** For everything else: statements that the type checker reads. */
  readonly database: Kysely<Tables>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Connects lazily, so a server that is away at the start is noticed by the first query and not
 * here.
 */
export function openPostgres(
  url: string,
  options: {
    readonly connectionsMax?: number
    readonly queryTimeoutMs?: number
    readonly onIdleError?: (error: Error) => void
  } = {},
): Postgres {
  const queryTimeoutMs = options.queryTimeoutMs ?? QUERY_TIMEOUT_MS
  const config: PoolConfig = {
    connectionString: url,
    application_name: 'headrace',
    max: options.connectionsMax ?? CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    // The server gives up by itself at the first, and a server that no longer answers is given up
    // at the second.
    statement_timeout: queryTimeoutMs,
    query_timeout: queryTimeoutMs,
    types: { getTypeParser },
  }
  const pool = new Pool(config)
  // Without a listener the loss of an idle connection would end the process. The pool drops it by
  // itself.
  pool.on('error', options.onIdleError ?? (() => {}))
  // Nor may the loss of one that is in use between two statements: the next one fails by itself.
  pool.on('connect', (client) => void client.on('error', () => {}))
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: discarding(pool) }) })
  return {
    pool,
    database,
    async [Symbol.asyncDispose]() {
      // Not by the query builder, which leaves a pool open that it has never used itself.
      await pool.end()
    },
  }
}

/**
 * A connection whose answer did not come still owes it, and whoever gets it next waits in vain. The
 * pool drops it after a query of its own, and this does so after a query of the query builder.
 */
function discarding(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect()
      let lost = false
      const query = async (sql: string, parameters: readonly unknown[]) => {
        try {
          return await client.query(sql, [...parameters])
        } catch (error) {
          lost ||= isUnavailable(error)
          throw error
        }
      }
      return {
        // Its other form takes a cursor, and is used by streams of rows only.
        query: query as unknown as PostgresPoolClient['query'],
        release: (destroy = false) => client.release(destroy || lost),
      }
    },
  }
}

// Our bigint columns are limits and versions, far below 2^53, so a number loses nothing.
const getTypeParser: typeof types.getTypeParser = (oid: number, format?: unknown) =>
  oid === BIGINT_OID && format !== 'binary'
    ? (text: string) => Number(text)
    : (types.getTypeParser as (oid: number, format?: unknown) => never)(oid, format)

const AWAY_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // A unix socket whose server is not there.
  'ENOENT',
])

// Class 08 is the connection, class 53 is a server out of connections, memory or disk; 57014 is our
// statement time-out, 57P01 to 57P05 are shutdowns, a crash, a start that is not finished, and a
// dropped database or session.
const AWAY_SQL_STATES = ['08', '53', '57014', '57P0']

// The driver gives these no code.
const AWAY_MESSAGES = [
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
]

/** Whether the dependency is away, as opposed to a statement that was wrong. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) {
    return AWAY_SQL_STATES.some((state) => error.code?.startsWith(state))
  }
  // Node reports a host with several addresses as one error that holds one per address.
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every(isUnavailable)
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string' && AWAY_SYSTEM_CODES.has(error.code)) {
    return true
  }
  return AWAY_MESSAGES.some((message) => error.message.startsWith(message))
}

/**
 * Whether a value was refused, by its type or by a constraint of this table or its partitions: the
 * next time it would be, too. A row that does not fit its partition violates no constraint that
 * has a name, and comes right by itself: the partition was made while the row was on its way.
 */
export function isValueRefused(error: unknown, table: string): boolean {
  if (!(error instanceof DatabaseError)) return false
  const ofTable = error.table?.startsWith(table) === true && error.constraint !== undefined
  return error.code?.startsWith('22') === true || (ofTable && error.code?.startsWith('23') === true)
}

const NOT_MIGRATED_SQL_STATES = new Set(['42P01', '42703'])

/** Whether a table or column is missing, which is a database older than the program. */
export function isNotMigrated(error: unknown): boolean {
  return error instanceof DatabaseError && NOT_MIGRATED_SQL_STATES.has(error.code ?? '')
}
