import { organizationKeys } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'

/** What running requests hold, and all that was spent, posted or not, in micro-units. */
export type HeldFunds = { readonly reserved: number; readonly spent: number }

/** As the admission of requests counts it. Changes nothing. */
export async function readHeldFunds(
  valkey: Pick<Valkey, 'call'>,
  organizationId: string,
): Promise<HeldFunds> {
  const { funds } = organizationKeys(organizationId)
  const reply = (await valkey.call('HMGET', [funds, 'reserved', 'spent'])) as (string | null)[]
  const [reserved, spent] = reply.map((text) => Number(text ?? 0))
  return { reserved: reserved ?? 0, spent: spent ?? 0 }
}
