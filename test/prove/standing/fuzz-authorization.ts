import { createApiKey } from '../../../src/tenancy/api-key.ts'
import type { Random } from '../../harness/figures/random.ts'

/** An Authorization header, and whether the credential in it is what it was made from. */
export type Fuzzed = {
  readonly header: string
  readonly token: string
  readonly kind: 'valid' | 'well-formed but unknown' | 'wrong' | 'missing'
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE64URL = `${BASE62}-_`

/** All that an HTTP header may hold, but for the no-break space, which is a space to some. */
const ANY = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
  .filter((character) => /[\x21-\x7e\x80-\x9f\xa1-\xff]/.test(character))
  .join('')

const HOSTILE = [
  "' or 1=1 --",
  "'; drop table api_keys; --",
  '\\x00',
  '%00',
  '$1',
  '{"$ne":null}',
  '../../etc/passwd',
  '${jndi:ldap://127.0.0.1}',
  '*',
  'null',
  'undefined',
  '__proto__',
]

/** Headers in which a credential is right, almost right, or nothing like one. */
export function fuzzAuthorization(random: Random, valid: readonly string[]): Fuzzed {
  const token = chooseToken(random, valid)
  const scheme = chooseScheme(random)
  const header = `${scheme}${token}`
  // HTTP itself takes the spaces at both ends away, so a scheme may be all that arrives.
  const sent = /^bearer +(\S.*)$/i.exec(header.trim())?.[1]
  if (sent === undefined) return { header, token: '', kind: 'missing' }
  if (valid.includes(sent)) return { header, token: sent, kind: 'valid' }
  const unknown = unknowns.has(sent)
  return { header, token: sent, kind: unknown ? 'well-formed but unknown' : 'wrong' }
}

/** Keys that were never stored. Bounded, since each is forgotten when it has been used. */
const unknowns = new Set<string>()
const UNKNOWNS_MAX = 1_000

function chooseScheme(random: Random): string {
  const kind = random.between(0, 19)
  if (kind === 0) return random.pick(['Basic ', 'Digest ', 'Token ', 'ApiKey ', 'Bearer', '', ' '])
  if (kind === 1) return random.pick(['Bearer\t', 'Bearer=', 'Bearer: ', 'Bearer Bearer ', 'Bear '])
  if (kind === 2)
    return `${random.pick(['bearer', 'BEARER', 'bEaReR'])}${' '.repeat(random.between(1, 5))}`
  return 'Bearer '
}

function chooseToken(random: Random, valid: readonly string[]): string {
  const kind = random.between(0, 19)
  if (kind === 0) return random.pick(valid)
  if (kind === 1) return unknownKey()
  if (kind === 2) return letters(random, ANY, random.between(0, 200))
  if (kind === 3) return random.pick(HOSTILE)
  if (kind === 4)
    return `${random.pick(valid)}${random.pick([' ', ',', ';', '"'])}${random.pick(valid)}`
  if (kind === 5) return `headrace_sk_${letters(random, BASE62, 49)}`
  if (kind === 6) return `headrace_pg_${letters(random, BASE64URL, random.between(0, 1_100))}`
  if (kind === 7) return splice(random, valid)
  if (kind === 8) return unsigned(random, valid)
  if (kind === 9) return `${random.pick(valid)}${random.pick(HOSTILE)}`
  return mutate(random, random.pick(valid))
}

function unknownKey(): string {
  const key = createApiKey('headrace')
  if (unknowns.size >= UNKNOWNS_MAX) unknowns.clear()
  unknowns.add(key)
  return key
}

/** One to three small changes, such as a typing error or a clever one. */
function mutate(random: Random, text: string): string {
  let changed = text
  for (let left = random.between(1, 3); left > 0; left -= 1) {
    const at = random.between(0, Math.max(0, changed.length - 1))
    const [before, after] = [changed.slice(0, at), changed.slice(at)]
    const alphabet = random.chance(0.8) ? BASE64URL : ANY
    const kind = random.between(0, 5)
    if (kind === 0) changed = `${before}${letters(random, alphabet, 1)}${after}`
    else if (kind === 1) changed = `${before}${after.slice(1)}`
    else if (kind === 2) changed = `${before}${after.charAt(1)}${after.charAt(0)}${after.slice(2)}`
    else if (kind === 3) changed = `${before}${swapCase(after.charAt(0))}${after.slice(1)}`
    else if (kind === 4) changed = before
    else changed = `${before}${letters(random, alphabet, 1)}${after.slice(1)}`
  }
  return changed
}

function swapCase(character: string): string {
  const lower = character.toLowerCase()
  return lower === character ? character.toUpperCase() : lower
}

/** The parts of two credentials in one. */
function splice(random: Random, valid: readonly string[]): string {
  const one = random.pick(valid).split('.')
  const other = random.pick(valid).split('.')
  return one.map((part, index) => (random.chance(0.5) ? part : (other[index] ?? ''))).join('.')
}

/** Says of itself that it needs no signature, or signs with something that is none. */
function unsigned(random: Random, valid: readonly string[]): string {
  const [, payload = ''] = random.pick(valid).split('.')
  const alg = random.pick(['none', 'None', 'HS256', 'EdDSA', ''])
  const header = Buffer.from(JSON.stringify({ alg, typ: 'JWT' })).toString('base64url')
  const signature = random.pick(['', 'A'.repeat(86), letters(random, BASE64URL, 86)])
  return `headrace_pg_${header}.${payload}.${signature}`
}

function letters(random: Random, alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[random.between(0, alphabet.length - 1)]).join('')
}
