import { randomBytes } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const POOL_LENGTH = 65_536
const PADDING_LENGTH_MAX = 4_096

// Only the length of the padding matters, so its characters may repeat: new random bytes for each
// event would cost more than the event itself.
const pool = Array.from(randomBytes(POOL_LENGTH), (byte) => ALPHABET.charAt(byte % 64)).join('')

/** Random-looking characters that need no escaping in JSON. */
export function padding(length: number): string {
  const wanted = Math.min(length, PADDING_LENGTH_MAX)
  const offset = Math.floor(Math.random() * (POOL_LENGTH - wanted))
  return pool.slice(offset, offset + wanted)
}
