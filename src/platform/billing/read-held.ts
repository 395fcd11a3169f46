import { readHeldFunds, type HeldFunds } from '../../store/usage/read-held-funds.ts'
import { ValkeyUnavailable } from '../../store/valkey/valkey.ts'
import type { Environment } from '../use-case/environment.ts'

/** Null if Valkey cannot be asked: the ledger is known all the same. */
export async function readHeld(
  { valkey }: Pick<Environment, 'valkey'>,
  organizationId: string,
): Promise<HeldFunds | null> {
  try {
    return await readHeldFunds(valkey, organizationId)
  } catch (error) {
    if (error instanceof ValkeyUnavailable) return null
    throw error
  }
}
