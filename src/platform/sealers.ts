import { ApiError } from '../contract/error.ts'
import type { Settings } from './environment.ts'
import { createSealer, type Sealer, type SealPurpose } from './identity/sealer.ts'

/** Encrypts what is stored for one purpose. */
export function sealerFor(
  { signing_key: current, accepted_signing_keys: accepted }: Settings,
  purpose: SealPurpose,
): Sealer {
  if (current === undefined)
    throw new ApiError(
      'service_unavailable',
      'This needs HEADRACE_SIGNING_KEY, which the operator has not set.',
    )
  return createSealer([current, ...accepted], purpose)
}
