import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

// `<prefix>_sk_` (`_mk_` for a management key, `_scim_` for a SCIM token) + 43 characters for 256
// random bits + 6 characters for a checksum of everything before it. The checksum rejects junk
// before any store is queried, and lets secret scanners distinguish a key from a string that looks
// like one.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = ALPHABET.length
const RANDOM_BYTES = 32
/** The fewest characters of this alphabet that can encode 256 bits. */
const RANDOM_LENGTH = 43
/** The fewest characters of this alphabet that can encode 32 bits. */
const CHECKSUM_LENGTH = 6
const LAST_LENGTH = 4

declare const checked: unique symbol

/** The text of an API key with valid form and checksum. Only the store knows whether it exists. */
export type ApiKey = string & { readonly [checked]: true }

/**
 * `sk` keys use the data plane, `mk` keys the management API, `scim` tokens SCIM; none works on
 * another.
 */
export type KeyKind = 'sk' | 'mk' | 'scim'

export function createApiKey(prefix: string, kind: KeyKind = 'sk'): ApiKey {
  const random = encode(BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`), RANDOM_LENGTH)
  const body = `${startOf(prefix, kind)}${random}`
  return `${body}${checksum(body)}` as ApiKey
}

/** Undefined unless the text has the form of an API key of this service. */
export function parseApiKey(
  text: string,
  prefix: string,
  kind: KeyKind = 'sk',
): ApiKey | undefined {
  const start = startOf(prefix, kind)
  if (text.length !== start.length + RANDOM_LENGTH + CHECKSUM_LENGTH) return undefined
  if (!text.startsWith(start)) return undefined
  for (let at = start.length; at < text.length; at += 1) {
    if (!isBase62(text.charCodeAt(at))) return undefined
  }
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return text.endsWith(checksum(body)) ? (text as ApiKey) : undefined
}

/** A fast hash is enough, because 256 random bits cannot be guessed. */
export function hashApiKey(key: ApiKey): Buffer {
  return createHash('sha256').update(key).digest()
}

/** The two parts of a key that may be displayed: neither contains any of its secret. */
export function displayParts(key: ApiKey): { readonly prefix: string; readonly last4: string } {
  return {
    prefix: key.slice(0, -(RANDOM_LENGTH + CHECKSUM_LENGTH)),
    last4: key.slice(-LAST_LENGTH),
  }
}

export function displayApiKey(parts: { readonly prefix: string; readonly last4: string }): string {
  return `${parts.prefix}…${parts.last4}`
}

function startOf(prefix: string, kind: KeyKind): string {
  return `${prefix}_${kind}_`
}

/** Without `bigint`: this runs for every request. */
function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let length = 0; length < CHECKSUM_LENGTH; length += 1) {
    text = ALPHABET.charAt(rest % BASE) + text
    rest = Math.floor(rest / BASE)
  }
  return text
}

function encode(value: bigint, length: number): string {
  let rest = value
  let text = ''
  while (rest > 0n) {
    text = ALPHABET.charAt(Number(rest % BigInt(BASE))) + text
    rest /= BigInt(BASE)
  }
  return text.padStart(length, ALPHABET.charAt(0))
}

function isBase62(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a)
  )
}
