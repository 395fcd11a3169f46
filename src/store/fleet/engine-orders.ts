import { sql, type Kysely, type Selectable, type Transaction } from 'kysely'
import type { EngineOrdersTable } from '../postgres/platform-tables.ts'
import type { Tables } from '../postgres/tables.ts'
import { fleetKey, FLEETS_KEY } from '../valkey/keys.ts'
import { readScript, scriptCaller } from '../valkey/scripts.ts'
import type { Valkey } from '../valkey/valkey.ts'

export type EngineOrderRow = Selectable<EngineOrdersTable>

/** What an engine is ordered to do; null if it is used as usual. */
export type OrderedState = EngineOrderRow['state'] | null

const REPLACE_SCRIPT = readScript(import.meta.url, 'replace-orders.lua')

export type NewOrder = {
  readonly engine: string
  readonly state: OrderedState
  readonly by: string
  readonly note: string | null
}

/** Returns the order that was in force before, and the one that is now. */
export async function storeOrder(
  transaction: Transaction<Tables>,
  { engine, state, by, note }: NewOrder,
): Promise<{ before: EngineOrderRow | undefined; now: EngineOrderRow | undefined }> {
  // Locks the row first, so that versions are committed in their order. With the clock in it, a
  // version that PostgreSQL lost with a backup is not given out again.
  await transaction
    .updateTable('engine_orders_version')
    .set({
      version: sql<number>`greatest(version + 1,
        (extract(epoch from clock_timestamp()) * 1000)::bigint)`,
    })
    .execute()
  const before = await transaction
    .selectFrom('engine_orders')
    .selectAll()
    .where('engine', '=', engine)
    .executeTakeFirst()
  if ((before?.state ?? null) === state) return { before, now: before }
  await transaction.deleteFrom('engine_orders').where('engine', '=', engine).execute()
  if (state === null) return { before, now: undefined }
  const now = await transaction
    .insertInto('engine_orders')
    .values({ engine, state, ordered_by: by, note })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { before, now }
}

export async function listOrders(database: Kysely<Tables>): Promise<EngineOrderRow[]> {
  return database.selectFrom('engine_orders').selectAll().orderBy('engine').execute()
}

/**
 * Makes each fleet know the orders that PostgreSQL has, all at once: an order that was lifted is
 * not in PostgreSQL any more. Does nothing if it knows them.
 */
export async function announceOrders(
  database: Kysely<Tables>,
  valkey: Pick<Valkey, 'call'>,
): Promise<void> {
  const replace = scriptCaller(valkey, REPLACE_SCRIPT)
  const send = async () => {
    const { version, orders } = await readOrders(database)
    let known = 0
    for (const fleet of await listFleets(valkey)) {
      const keys = [fleetKey(fleet, 'orders'), fleetKey(fleet, 'orders-version')]
      const reply = await replace({ keys, args: [version, ...orders.flat()] })
      known = Math.max(known, Number(reply))
    }
    return { version, known }
  }
  const { version, known } = await send()
  if (known <= version) return
  // Mostly another process was faster. But PostgreSQL may have been restored from a backup: then
  // its orders are in force again.
  const { numUpdatedRows } = await database
    .updateTable('engine_orders_version')
    .set({ version: known + 1 })
    .where('version', '<', known)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) await send()
}

/** The default one is told before it has processes. */
async function listFleets(valkey: Pick<Valkey, 'call'>): Promise<ReadonlySet<string>> {
  return new Set(['main', ...((await valkey.call('SMEMBERS', [FLEETS_KEY])) as string[])])
}

/** In one statement, so that orders and version belong together. */
async function readOrders(database: Kysely<Tables>) {
  const rows = await database
    .selectFrom('engine_orders_version')
    .leftJoin('engine_orders', (join) => join.onTrue())
    .select(['version', 'engine', 'state'])
    .execute()
  const orders = rows.flatMap(({ engine, state }) =>
    engine === null || state === null ? [] : [[engine, state] as const],
  )
  return { version: rows[0]?.version ?? 0, orders }
}
