import { createHash, randomUUID } from 'node:crypto'

/**
 * A UUID version 7: its first 48 bits are the time, so later ids sort later and an index on them
 * grows at its end. The rest comes from `randomUUID`, which uses a pool of random bytes.
 */
export function uuidV7(nowMs: number = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${randomUUID().slice(15)}`
}

/** When a UUID version 7 was created, in milliseconds since 1970. */
export function timeOfUuid(id: string): number {
  return Number.parseInt(`${id.slice(0, 8)}${id.slice(9, 13)}`, 16)
}

/** A UUID version 8 that is the same whenever it is made from the same text. */
export function uuidOf(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex')
  const [a, b, c, d] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16), digits[16]!]
  const variant = ((Number.parseInt(d, 16) & 3) | 8).toString(16)
  return `${a}-${b}-8${c}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}
