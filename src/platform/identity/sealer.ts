import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { seal, SealBroken, unseal } from '../../lib/seal.ts'

const KEY_BYTES = 32

/** What secrets are sealed for. Each purpose has a key of its own. */
export type SealPurpose = 'one-time factor' | 'challenge' | 'sso client secret' | 'webhook secret'

/** Encrypts secrets that are stored in PostgreSQL. */
export type Sealer = {
  /** The bytes open only for the same `owner`, the id of the row or account they belong to. */
  seal(plain: Buffer, owner: string): Buffer
  /** Throws `SealBroken` if no known key opens the bytes. */
  open(sealed: Buffer, owner: string): Buffer
}

/**
 * Keys are derived from the operator's signing keys. New secrets are sealed with the first one; all
 * of them open what was sealed before, so that a key can be rotated.
 */
export function createSealer(signingKeys: readonly string[], purpose: SealPurpose): Sealer {
  const keys = signingKeys.map((secret) => deriveKey(secret, purpose))
  const [current] = keys
  return {
    seal(plain, owner) {
      if (current === undefined) throw new TypeError('sealing requires a signing key')
      return seal(current, plain, owner)
    },
    open(sealed, owner) {
      for (const key of keys) {
        try {
          return unseal(key, sealed, owner)
        } catch (error) {
          if (!(error instanceof SealBroken)) throw error
        }
      }
      throw new SealBroken(`no configured signing key opens this ${purpose}`)
    },
  }
}

function deriveKey(secret: string, purpose: SealPurpose): KeyObject {
  const bytes = Buffer.from(secret, 'base64url')
  return createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', `sealed ${purpose}`, KEY_BYTES)))
}
