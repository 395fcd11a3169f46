import { randomBytes } from 'node:crypto'
import { SealBroken } from '../../../lib/seal.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { normalEmail } from '../../../tenancy/email.ts'
import type { Sealer } from './sealer.ts'

/** A device that was not used for so long is a new one again. */
export const DEVICE_LIFE_MS = 180 * DAY_MS
const DEVICE_ID_BYTES = 16

/** What a browser remembers of an account that has signed in there. It gives no right. */
export type Device = {
  /** Random, the same for every sign-in of the account on this device. */
  readonly id: string
  readonly accountId: string
  /** When the password was set, null without one: a new password makes the token invalid. */
  readonly passwordSetMs: number | null
  readonly issuedMs: number
}

export function newDeviceId(): string {
  return randomBytes(DEVICE_ID_BYTES).toString('base64url')
}

/** Encrypted, so that it tells nothing, and bound to the address, so that it helps no other one. */
export function sealDevice(sealer: Sealer, email: string, device: Device): string {
  const { id, accountId, passwordSetMs, issuedMs } = device
  const plain = Buffer.from(JSON.stringify([id, accountId, passwordSetMs, issuedMs]))
  return sealer.seal(plain, normalEmail(email)).toString('base64url')
}

/** Undefined unless a configured key sealed the token, for this address and not too long ago. */
export function openDevice(
  sealer: Sealer,
  email: string,
  token: string,
  nowMs: number = Date.now(),
): Device | undefined {
  try {
    const plain = sealer.open(Buffer.from(token, 'base64url'), normalEmail(email))
    const [id, accountId, passwordSetMs, issuedMs] = JSON.parse(plain.toString()) as [
      string,
      string,
      number | null,
      number,
    ]
    if (nowMs - issuedMs > DEVICE_LIFE_MS) return undefined
    return { id, accountId, passwordSetMs, issuedMs }
  } catch (error) {
    if (error instanceof SealBroken) return undefined
    throw error
  }
}
