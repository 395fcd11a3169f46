import { createHash, randomBytes } from 'node:crypto'

// Sixteen letters and digits in groups of four, for 80 random bits: `7QKD-2M0X-V9ET-HC4R`.

/** Crockford's base32: no I, L, O and U, so that nobody takes a letter for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const BITS_PER_CHARACTER = 5
const RANDOM_BYTES = 10
const LENGTH = 16

/** Spaces and hyphens are for reading; people may leave them out or add some. */
const SEPARATORS = /[\s\p{Dash_Punctuation}]/gu
const CODE = /^[0-9A-HJKMNP-TV-Z]{16}$/

export type VoucherCode = {
  /** Shown once and stored nowhere. */
  readonly code: string
  readonly hash: Buffer
}

export function createVoucherCode(): VoucherCode {
  const plain = encode(randomBytes(RANDOM_BYTES))
  return { code: (plain.match(/.{4}/g) ?? []).join('-'), hash: hash(plain) }
}

/** Undefined if the text does not have the form of a code. */
export function hashVoucherCode(text: string): Buffer | undefined {
  const plain = text
    .normalize('NFKC')
    .replace(SEPARATORS, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
  return CODE.test(plain) ? hash(plain) : undefined
}

/** A fast hash is enough: guesses are counted, and nobody tries 80 random bits from the hash. */
function hash(plain: string): Buffer {
  return createHash('sha256').update(plain).digest()
}

function encode(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (let count = 0; count < LENGTH; count += 1) {
    text = ALPHABET.charAt(Number(rest & 31n)) + text
    rest >>= BigInt(BITS_PER_CHARACTER)
  }
  return text
}
