import { ApiError } from '../../contract/error.ts'
import { SealBroken } from '../../lib/seal.ts'
import type { Settings } from './environment.ts'
import { createSealer, type Sealer, type SealPurpose } from '../sign-in/identity/sealer.ts'

type SigningKeys = Pick<Settings, 'signing_key' | 'accepted_signing_keys'>

/** Encrypts what is stored for one purpose. */
export function sealerFor(
  { signing_key: current, accepted_signing_keys: accepted }: SigningKeys,
  purpose: SealPurpose,
): Sealer {
  if (current === undefined)
    throw new ApiError(
      'service_unavailable',
      'This needs HEADRACE_SIGNING_KEY, which the operator has not set.',
    )
  const sealer = createSealer([current, ...accepted], purpose)
  return { ...sealer, open: (sealed, owner) => openSealed(sealer, sealed, owner) }
}

/** What is sealed with a removed key is the operator's to repair, and no bug of the service. */
function openSealed(sealer: Sealer, sealed: Buffer, owner: string): Buffer {
  try {
    return sealer.open(sealed, owner)
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause
    throw new ApiError(
      'service_unavailable',
      'A stored secret cannot be opened, because the signing key that sealed it is not ' +
        'configured. The operator has to accept that key again.',
      { cause },
    )
  }
}

/** The ids of the configured keys of one purpose, the current one first; none without a key. */
export function sealingKeyIds(settings: SigningKeys, purpose: SealPurpose): readonly string[] {
  const { signing_key: current, accepted_signing_keys: accepted } = settings
  return current === undefined ? [] : createSealer([current, ...accepted], purpose).keyIds
}
