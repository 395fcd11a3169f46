import type { Pool, PoolClient } from 'pg'
import { isUnavailable } from './postgres.ts'

/**
 * Runs statements that the query builder cannot express in one transaction. `setup` is SQL that
 * runs right after `begin`, such as settings.
 */
export async function inTransaction<Result>(
  pool: Pool,
  setup: string,
  act: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query(`begin; ${setup}`)
    const result = await act(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    await rollBack(client, error)
    throw error
  }
}

/**
 * Closing the connection rolls back as well, but only once the server notices. It is the only way
 * while a reply is still outstanding.
 */
async function rollBack(client: PoolClient, error: unknown): Promise<void> {
  if (isUnavailable(error)) client.release(true)
  else
    await client.query('rollback').then(
      () => client.release(),
      () => client.release(true),
    )
}
