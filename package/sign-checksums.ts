import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Signed = { readonly publicKey: string }

/**
 * Signs `SHA256SUMS` in the folder with an Ed25519 key, so that everybody can verify it offline
 * with OpenSSL. Without the file of a key it makes one that exists only for this signature.
 */
export function signChecksums(folder: string, keyFile?: string): Signed {
  const key =
    keyFile === undefined
      ? generateKeyPairSync('ed25519').privateKey
      : createPrivateKey(readFileSync(keyFile))
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`the signing key is ${key.asymmetricKeyType ?? 'secret'}, not ed25519`)
  const signature = sign(null, readFileSync(join(folder, 'SHA256SUMS')), key)
  writeFileSync(join(folder, 'SHA256SUMS.sig'), signature)
  return { publicKey: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString() }
}
