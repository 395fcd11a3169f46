import type { Transaction } from 'kysely'
import type { Tables } from '../postgres/tables.ts'
import type { Changed } from './changes.ts'
import { raiseVersions } from './versions.ts'

/** Where members and keys of an organization may call from; none means from anywhere. */
export async function storeAllowedNetworks(
  transaction: Transaction<Tables>,
  organizationId: string,
  networks: readonly string[],
): Promise<Changed<readonly string[]>> {
  const raised = await raiseVersions(transaction, [organizationId])
  await transaction
    .updateTable('organizations')
    .set({ allowed_networks: [...networks] })
    .where('id', '=', organizationId)
    .execute()
  return { value: networks, raised }
}
