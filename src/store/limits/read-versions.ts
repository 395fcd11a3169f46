import { forEachLimited } from '../../lib/for-each-limited.ts'
import { organizationKeys } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'

const CALLS_AT_ONCE = 64

/** The versions that Valkey knows of these organizations; of the others it knows none. */
export async function readVersions(
  valkey: Pick<Valkey, 'call'>,
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const versions = new Map<string, number>()
  await forEachLimited(CALLS_AT_ONCE, organizationIds, async (id) => {
    const text = (await valkey.call('GET', [organizationKeys(id).version])) as string | null
    if (text !== null) versions.set(id, Number(text))
  })
  return versions
}
