import { createHash, randomBytes } from 'node:crypto'

const CODES = 10
const CODE_BYTES = 16
/** Spaces and hyphens are for reading; people may leave them out or add some. */
const SEPARATORS = /[\s-]/g
const CODE = /^[0-9a-f]{32}$/
const CODE_LENGTH_MAX = 100

export type RecoveryCodes = {
  /** Shown once and stored nowhere. */
  readonly codes: readonly string[]
  readonly hashes: readonly Buffer[]
}

export function createRecoveryCodes(): RecoveryCodes {
  const secrets = Array.from({ length: CODES }, () => randomBytes(CODE_BYTES))
  return { codes: secrets.map(write), hashes: secrets.map(hash) }
}

/** Undefined if the text does not have the form of a code. */
export function hashRecoveryCode(text: string): Buffer | undefined {
  if (text.length > CODE_LENGTH_MAX) return undefined
  const plain = text.replace(SEPARATORS, '').toLowerCase()
  return CODE.test(plain) ? hash(Buffer.from(plain, 'hex')) : undefined
}

/** 128 random bits need no slow hash: nobody can try them all. */
function hash(secret: Buffer): Buffer {
  return createHash('sha256').update(secret).digest()
}

function write(secret: Buffer): string {
  return (secret.toString('hex').match(/.{4}/g) ?? []).join('-')
}
