import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32

/** A secret for a cookie or a link. Only its hash is stored. */
export type Token = { readonly token: string; readonly hash: Buffer }

export function createToken(): Token {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  return { token, hash: hashToken(token) }
}

/** Enough for a secret of 256 random bits, which nobody can guess. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
