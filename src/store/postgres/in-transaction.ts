import type { Pool, PoolClient } from 'pg'
import { isUnavailable } from './postgres.ts'

/**
 * Does all of it or nothing. For statements that the query builder does not write; `first` is what
 * the transaction begins with, such as its settings.
 */
export async function inTransaction<Result>(
  pool: Pool,
  first: string,
  act: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query(`begin; ${first}`)
    const result = await act(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    await end(client, error)
    throw error
  }
}

/**
 * Closing the connection rolls back as well, but later, when the server notices. It is the only
 * way where an answer is still owed.
 */
async function end(client: PoolClient, error: unknown): Promise<void> {
  if (isUnavailable(error)) client.release(true)
  else
    await client.query('rollback').then(
      () => client.release(),
      () => client.release(true),
    )
}
