import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300
/** An empty or short secret would accept what anybody can sign. */
const SECRET = /^whsec_.{16,}$/

/**
 * Whether a webhook is signed with one of the secrets (two while they are exchanged), over its
 * time and its exact bytes, and is not older than 5 minutes or ahead of the clock by as much.
 */
export function verifySignature(
  raw: Buffer,
  header: string,
  secrets: readonly string[],
  nowMs: number,
): boolean {
  const parts = header.split(',').map((part) => part.split('=', 2))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time)) return false
  if (Math.abs(nowMs / 1000 - Number(time)) > TOLERANCE_SECONDS) return false
  const given = parts.filter(([name]) => name === 'v1').map(([, value = '']) => Buffer.from(value))
  return secrets.some((secret) => {
    if (!SECRET.test(secret)) return false
    const signed = createHmac('sha256', secret).update(`${time}.`).update(raw).digest('hex')
    const wanted = Buffer.from(signed)
    return given.some((each) => each.length === wanted.length && timingSafeEqual(each, wanted))
  })
}
