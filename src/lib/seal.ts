import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
/**
 * Random, so that no two processes have to agree on a counter. That is safe for some 2^32 seals
 * of one key.
 */
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** What was sealed is not what it is said to be, or was sealed with another key. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

/** Encrypts with AES-256-GCM: nonce, tag and ciphertext, bound to what `belongsTo` names. */
export function seal(key: KeyObject, plain: Buffer, belongsTo: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(belongsTo))
  const encrypted = cipher.update(plain)
  cipher.final()
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

/** Throws `SealBroken` unless key, bytes and `belongsTo` are those of the sealing. */
export function unseal(key: KeyObject, sealed: Buffer, belongsTo: string): Buffer {
  try {
    const nonce = sealed.subarray(0, NONCE_BYTES)
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(belongsTo))
    decipher.setAuthTag(tag)
    const plain = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES))
    decipher.final()
    return plain
  } catch (cause) {
    throw new SealBroken('the seal does not hold', { cause })
  }
}
