import { placedKey } from '../valkey/keys.ts'
import type { Valkey } from '../valkey/valkey.ts'

/** As long as a process counts a conversation that is not continued. */
const KEPT_SECONDS = 600

/** Where turns of conversations ran that are not at the first choice of their hash. */
export function openSharedPlacements(valkey: Pick<Valkey, 'call'>, fleet = 'main') {
  return {
    /** The seed of the engine that ran a turn, by the last hash of that turn. */
    async find(hash: number): Promise<number | undefined> {
      // Without a reply the turn goes where its hash says, as if nothing had been noted.
      const seed = await valkey.call('GET', [placedKey(fleet, hash)]).catch(() => null)
      return seed === null ? undefined : Number(seed)
    },
    note(hash: number, seed: number): void {
      const args = [placedKey(fleet, hash), seed, 'EX', KEPT_SECONDS]
      // One that is lost costs a cached prompt.
      void valkey.call('SET', args).catch(() => undefined)
    },
  }
}
