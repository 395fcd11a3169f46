import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { domainToASCII } from 'node:url'

const CHALLENGE_BYTES = 24
const CHALLENGE_PREFIX = 'headrace-verification='
const DOMAIN_LENGTH_MAX = 253
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const RESOLVER_TIMEOUT_MS = 2_000
const RESOLVER_TRIES = 2

/** `absent` also covers a domain that does not exist. */
export type DomainAnswer = 'present' | 'absent' | 'unavailable'

export type TxtResolver = Pick<Resolver, 'resolveTxt' | 'getServers'>

/** No servers mean those of the system. A resolver whose list is set to none asks nobody. */
export function createTxtResolver(servers: readonly string[]): TxtResolver {
  const resolver = new Resolver({ timeout: RESOLVER_TIMEOUT_MS, tries: RESOLVER_TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

export function createDomainChallenge(): string {
  return CHALLENGE_PREFIX + randomBytes(CHALLENGE_BYTES).toString('base64url')
}

/** The name of the TXT record that proves control over a domain. */
export function domainRecordName(domain: string): string {
  return `_headrace.${domain}`
}

/** Whether the domain's owner has published the challenge. */
export async function verifyDomain(
  resolver: TxtResolver,
  domain: string,
  challenge: string,
): Promise<DomainAnswer> {
  try {
    // A record with more than 255 characters arrives in parts.
    const records = await resolver.resolveTxt(domainRecordName(domain))
    return records.some((parts) => parts.join('').trim() === challenge) ? 'present' : 'absent'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOTFOUND' || code === 'ENODATA' ? 'absent' : 'unavailable'
  }
}

/**
 * The one spelling of a domain: lower case, and ASCII also for other scripts. Undefined if it is
 * not a domain name of at least two parts.
 */
export function readDomain(text: string): string | undefined {
  if (text.length > DOMAIN_LENGTH_MAX) return undefined
  const domain = domainToASCII(text.trim().toLowerCase())
  const labels = domain.split('.')
  if (domain.length > DOMAIN_LENGTH_MAX || labels.length < 2) return undefined
  const valid = labels.every((label) => LABEL.test(label))
  // The last label of a name is never a number; this is an IP address.
  return valid && !/^\d+$/.test(labels.at(-1) ?? '') ? domain : undefined
}

export function domainOfEmail(email: string): string | undefined {
  const at = email.lastIndexOf('@')
  return at < 1 ? undefined : readDomain(email.slice(at + 1))
}
