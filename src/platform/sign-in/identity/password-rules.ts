import { readFileSync } from 'node:fs'
import { normalEmail } from '../../../tenancy/email.ts'

const LENGTH_MIN = 12
/** Also bounds what Argon2 has to read. */
const LENGTH_MAX = 256

/**
 * 3,000 of the most common passwords in lower case, with all long ones. Facts of the list of
 * zxcvbn-ts (MIT).
 */
const COMMON = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n'),
)

/** What nobody's password may consist of, besides the common ones. */
export type Names = {
  readonly email: string
  /** Names of the service and of its operator. */
  readonly operator: readonly string[]
}

/**
 * Why a password is refused, or null. Any characters are allowed; nothing is trimmed, cut or
 * normalized, here or when it is verified.
 */
export function findPasswordFault(password: string, names: Names): string | null {
  const length = Array.from(password).length
  if (length < LENGTH_MIN || length > LENGTH_MAX)
    return `The password must have ${LENGTH_MIN} to ${LENGTH_MAX} characters.`
  // UTF-8 cannot express it, so another password would match.
  if (!password.isWellFormed()) return 'The password has half of a character (a lone surrogate).'
  const lower = password.toLowerCase()
  if (isCommon(lower)) return 'The password is one of the most common ones.'
  if (hasOnly(lower, namesOf(names)))
    return 'The password must not be your email address or a name of this service.'
  return null
}

/** A common one, or two of them: `password123456`. */
function isCommon(lower: string): boolean {
  if (COMMON.has(lower)) return true
  for (let at = 1; at < lower.length; at += 1)
    if (COMMON.has(lower.slice(0, at)) && COMMON.has(lower.slice(at))) return true
  return false
}

function namesOf({ email, operator }: Names): string[] {
  const address = normalEmail(email)
  const [local = '', domain = ''] = address.split('@')
  const names = operator.map((name) => name.toLowerCase())
  return [address, local, domain, ...names].filter((name) => name.length >= 3)
}

/** Whether nothing remains without the names but a few digits and punctuation. */
function hasOnly(lower: string, names: readonly string[]): boolean {
  let rest = lower
  for (const name of names) rest = rest.replaceAll(name, '')
  return rest !== lower && /^[^\p{L}]{0,4}$/u.test(rest)
}
