import { DAY_MS } from '../../lib/time.ts'
import { unknownProxyKey } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'

/** The processes that a proxy is in front of. */
type Behind = 'api' | 'console'

/** Remembers for a day that requests came through a proxy that the configuration does not name. */
export async function rememberUnknownProxy(
  valkey: Pick<Valkey, 'call'>,
  behind: Behind,
): Promise<void> {
  await valkey.call('SET', [unknownProxyKey(behind), 1, 'PX', DAY_MS])
}

export async function hasUnknownProxy(
  valkey: Pick<Valkey, 'call'>,
  behind: Behind,
): Promise<boolean> {
  return (await valkey.call('EXISTS', [unknownProxyKey(behind)])) === 1
}
