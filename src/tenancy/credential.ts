import { parseApiKey, type ApiKey } from './api-key.ts'
import {
  looksLikePlaygroundCredential,
  verifyPlaygroundCredential,
  type PlaygroundClaims,
  type PlaygroundRealm,
  type SigningKey,
} from './playground-credential.ts'

/** A credential with valid form and checksum or signature. Only the store knows its owner. */
export type Credential =
  | { readonly kind: 'api_key'; readonly key: ApiKey }
  | { readonly kind: 'playground'; readonly claims: PlaygroundClaims }

/** Undefined if the text cannot be a credential of this service. Queries no store. */
export function readCredential(
  text: string,
  realm: PlaygroundRealm,
  signingKeys: readonly SigningKey[],
  nowMs: number,
): Credential | undefined {
  if (looksLikePlaygroundCredential(text, realm.prefix)) {
    const claims = verifyPlaygroundCredential(text, realm, signingKeys, nowMs)
    return claims === undefined ? undefined : { kind: 'playground', claims }
  }
  const key = parseApiKey(text, realm.prefix)
  return key === undefined ? undefined : { kind: 'api_key', key }
}
