import { createHash, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { seal, SealBroken, unseal } from '../../../lib/seal.ts'

const KEY_BYTES = 32
const KEY_ID_BYTES = 8

/** What secrets are sealed for. Each purpose has a key of its own. */
export type SealPurpose =
  | 'one-time factor'
  | 'challenge'
  | 'sso client secret'
  | 'webhook secret'
  | 'device'

/** Encrypts secrets that are stored in PostgreSQL, and what browsers remember. */
export type Sealer = {
  /** The bytes open only for the same `owner`, the id of the row or account they belong to. */
  seal(plain: Buffer, owner: string): Buffer
  /** Throws `SealBroken` if no known key opens the bytes. */
  open(sealed: Buffer, owner: string): Buffer
  /** The ids of the keys in hexadecimal digits, the current one first. */
  readonly keyIds: readonly string[]
}

/**
 * Keys are derived from the operator's signing keys. New secrets are sealed with the first one; all
 * of them open what was sealed before, so that a key can be rotated. Sealed bytes begin with the id
 * of their key.
 */
export function createSealer(signingKeys: readonly string[], purpose: SealPurpose): Sealer {
  const keys = signingKeys.map((secret) => deriveKey(secret, purpose))
  const [current] = keys
  return {
    seal(plain, owner) {
      if (current === undefined) throw new TypeError('sealing requires a signing key')
      return Buffer.concat([current.id, seal(current.key, plain, owner)])
    },
    open(sealed, owner) {
      const known = keys.find(({ id }) => id.equals(sealed.subarray(0, KEY_ID_BYTES)))
      if (known === undefined)
        throw new SealBroken(`no configured signing key sealed this ${purpose}`)
      return unseal(known.key, sealed.subarray(KEY_ID_BYTES), owner)
    },
    keyIds: keys.map(({ id }) => id.toString('hex')),
  }
}

/** The id of the key that sealed these bytes, in hexadecimal digits. */
export function keyIdOf(sealed: Buffer): string {
  return sealed.subarray(0, KEY_ID_BYTES).toString('hex')
}

function deriveKey(
  secret: string,
  purpose: SealPurpose,
): { readonly id: Buffer; readonly key: KeyObject } {
  const bytes = Buffer.from(secret, 'base64url')
  const key = Buffer.from(hkdfSync('sha256', bytes, '', `sealed ${purpose}`, KEY_BYTES))
  // A hash of a random key tells nothing about it.
  const id = createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES)
  return { id, key: createSecretKey(key) }
}
