import { organizationKeys } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'

/** Forgets what an organization has used of its four limits. Returns whether it had used any. */
export async function resetLimits(
  valkey: Pick<Valkey, 'call'>,
  organizationId: string,
): Promise<boolean> {
  return (await valkey.call('DEL', [organizationKeys(organizationId).limits])) === 1
}
