import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** Argon2id with the parameters that OWASP recommends: memory in KiB, passes, lanes. */
const COST: Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32

type Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number }

type StoredPassword = { readonly cost: Cost; readonly salt: Buffer; readonly hash: Buffer }

const compute = promisify(argon2)

/** The form in which a password is stored: a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, COST, salt, HASH_BYTES)
  return formatPhc({ cost: COST, salt, hash })
}

/**
 * Whether the password is the stored one. Without a stored one it computes as much and returns
 * false, so that the time does not tell whether an account exists or has a password.
 */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  const stored = parsePhc(phc ?? NOBODY)
  const given = await derive(password, stored.cost, stored.salt, stored.hash.length)
  return timingSafeEqual(given, stored.hash) && phc !== null
}

async function derive(
  password: string,
  cost: Cost,
  salt: Buffer,
  tagLength: number,
): Promise<Buffer> {
  return compute('argon2id', { message: password, nonce: salt, tagLength, ...cost })
}

/** What no password hashes to, except by a chance of 1 in 2^256. */
const NOBODY = formatPhc({
  cost: COST,
  salt: Buffer.alloc(SALT_BYTES),
  hash: Buffer.alloc(HASH_BYTES),
})

function formatPhc({ cost, salt, hash }: StoredPassword): string {
  const parameters = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
  return `$argon2id$v=19$${parameters}$${unpadded(salt)}$${unpadded(hash)}`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([\w+/]{11,86})\$([\w+/]{16,86})$/

/** Throws if it is not a PHC string of Argon2id; `hashPassword` writes no other. */
export function parsePhc(phc: string): StoredPassword {
  const [, memory, passes, parallelism, salt = '', hash = ''] = PHC.exec(phc) ?? []
  if (hash === '') throw new TypeError('not a PHC string of Argon2id')
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}
