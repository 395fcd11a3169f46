import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

// Codes of authenticator apps: RFC 6238 with SHA-1, 6 digits and 30 seconds, the only form that
// every app supports.

const SECRET_BYTES = 20
const STEP_MS = 30_000
const DIGITS = 6
/** Steps before and after the current one whose codes are accepted, for clocks that differ. */
const STEP_LEEWAY = 1
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export function createTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/**
 * The step whose code this is, or undefined. Only steps after `lastStep` count: a code works once,
 * and the caller stores the returned step.
 */
export function findTotpStep(
  secret: Buffer,
  code: string,
  nowMs: number,
  lastStep: number,
): number | undefined {
  const given = Buffer.from(code)
  if (given.length !== DIGITS) return undefined
  const current = Math.floor(nowMs / STEP_MS)
  for (let step = current - STEP_LEEWAY; step <= current + STEP_LEEWAY; step += 1) {
    if (step > lastStep && timingSafeEqual(given, Buffer.from(totpCode(secret, step)))) return step
  }
  return undefined
}

export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const digest = createHmac('sha1', secret).update(counter).digest()
  const offset = digest.readUInt8(digest.length - 1) & 0xf
  const value = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS
  return String(value).padStart(DIGITS, '0')
}

/** What the QR code of an authenticator app contains. */
export function totpUri(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const parameters = `secret=${encodeBase32(secret)}&issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?${parameters}&algorithm=SHA1&digits=6&period=30`
}

export function encodeBase32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32.charAt((value >>> bits) & 31)
    }
  }
  return bits === 0 ? text : text + BASE32.charAt((value << (5 - bits)) & 31)
}
