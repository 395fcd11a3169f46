import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
/** Random, so that processes need not share a counter. Safe for about 2^32 seals per key. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** What a seal adds to the plain text. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES

/** The sealed bytes were changed, or sealed with another key or for another owner. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

/** Encrypts with AES-256-GCM: nonce, tag and ciphertext, bound to `owner`. */
export function seal(key: KeyObject, plain: Buffer, owner: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(owner))
  const encrypted = cipher.update(plain)
  cipher.final()
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
}

/** Throws `SealBroken` unless key, bytes and `owner` are those of the sealing. */
export function unseal(key: KeyObject, sealed: Buffer, owner: string): Buffer {
  try {
    const nonce = sealed.subarray(0, NONCE_BYTES)
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(owner))
    decipher.setAuthTag(tag)
    const plain = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES))
    decipher.final()
    return plain
  } catch (cause) {
    throw new SealBroken('the sealed bytes cannot be authenticated', { cause })
  }
}
