import { DAY_MS } from '../../lib/time.ts'
import { UNKNOWN_PROXY } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'

/** Remembers for a day that requests came through a proxy that the configuration does not name. */
export async function rememberUnknownProxy(valkey: Pick<Valkey, 'call'>): Promise<void> {
  await valkey.call('SET', [UNKNOWN_PROXY, 1, 'PX', DAY_MS])
}

export async function hasUnknownProxy(valkey: Pick<Valkey, 'call'>): Promise<boolean> {
  return (await valkey.call('EXISTS', [UNKNOWN_PROXY])) === 1
}
