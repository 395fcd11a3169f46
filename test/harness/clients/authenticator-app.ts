import { createHmac } from 'node:crypto'

// An authenticator app, written without the code it tests.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** The code that an app with this secret (in base32) shows `ahead` steps of 30 s from now. */
export function appCode(secret: string, ahead: number): string {
  const step = Math.floor(Date.now() / STEP_MS) + ahead
  const counter = Buffer.from(step.toString(16).padStart(16, '0'), 'hex')
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const offset = digest[19]! % 16
  const number = BigInt(`0x${digest.subarray(offset, offset + 4).toString('hex')}`) % 2n ** 31n
  return String(number % 1_000_000n).padStart(6, '0')
}

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) =>
    ALPHABET.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
