import { ApiError } from '../../contract/error.ts'
import { SealBroken } from '../../lib/seal.ts'
import { SEALED_PLACES, type SealedPlace } from '../../store/postgres/sealed-places.ts'
import { readSealedSecrets, replaceSealedSecret } from '../../store/sign-in/sealed-secrets.ts'
import type { Environment } from '../use-case/environment.ts'
import { keyIdOf, type Sealer } from '../sign-in/identity/sealer.ts'
import { sealerFor } from '../use-case/sealers.ts'
import { defineChange, defineFlow } from '../use-case/use-case.ts'

/** `unreadable`: neither the current signing key nor an accepted one opens them. */
export type RewrapCounts = { rewrapped: number; already: number; unreadable: number }

/**
 * Seals every stored secret with the current signing key, one row at a time, so that it never holds
 * a lock that others wait for. Can be interrupted and repeated at any time.
 */
export const rewrapSecrets = defineFlow(
  { action: 'secrets.rewrap', permission: 'platform:write' },
  async ({ environment, access }, _input: object): Promise<RewrapCounts> => {
    const counts: RewrapCounts = { rewrapped: 0, already: 0, unreadable: 0 }
    for (const place of SEALED_PLACES) await rewrapPlace(environment, place, counts)
    await noteRewrap(environment, access.actor, counts)
    return counts
  },
)

const noteRewrap = defineChange(
  { action: 'secrets.rewrap', permission: 'platform:write' },
  async (_context, { rewrapped }: RewrapCounts) => ({
    value: undefined,
    target: { kind: 'secrets', id: 'secrets' },
    changes: { rewrapped: [null, rewrapped] },
    unchanged: rewrapped === 0,
  }),
)

async function rewrapPlace(
  { database, settings }: Environment,
  place: SealedPlace,
  counts: RewrapCounts,
): Promise<void> {
  const sealer = sealerFor(settings, place.purpose)
  const [current] = sealer.keyIds
  for await (const secret of readSealedSecrets(database, place)) {
    const { owner, sealed } = secret
    if (keyIdOf(sealed) === current) {
      counts.already += 1
      continue
    }
    const plain = openIfKnown(sealer, sealed, owner)
    if (plain === undefined) counts.unreadable += 1
    else if (await replaceSealedSecret(database, place, secret, sealer.seal(plain, owner)))
      counts.rewrapped += 1
    // Whoever changed it meanwhile sealed it with the key of their process.
    else counts.already += 1
  }
}

function openIfKnown(sealer: Sealer, sealed: Buffer, owner: string): Buffer | undefined {
  try {
    return sealer.open(sealed, owner)
  } catch (error) {
    if (error instanceof ApiError && error.cause instanceof SealBroken) return undefined
    throw error
  }
}
