import { ApiError } from '../../../contract/error.ts'
import type { Domain } from '../../../contract/management/sso.ts'
import {
  addDomain as storeDomain,
  deleteDomain as removeDomain,
  DOMAINS_MAX,
  findDomain,
  listDomains as readDomains,
  markDomainVerified,
  type DomainRow,
} from '../../../store/sign-in/sso-domains.ts'
import { isUuid } from '../../../store/postgres/page.ts'
import { lockOrganization } from '../../../store/tenants/organizations.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import { notFound } from '../../use-case/authorize.ts'
import {
  createDomainChallenge,
  createTxtResolver,
  domainOfEmail,
  domainRecordName,
  readDomain,
  verifyDomain as askDns,
} from '../identity/verify-domain.ts'
import { defineChange, defineFlow, defineRead } from '../../use-case/use-case.ts'
import { checkSsoUsable } from './check-sso-usable.ts'

const WRITE = { permission: 'sign-in:write', confirmed: true } as const

export const listDomains = defineRead(
  { action: 'domain.list', permission: 'sign-in:read', confirmed: true },
  async ({ database, access }) => {
    const rows = await readDomains(database, access.organization.id)
    return { data: rows.map(viewDomain), next: null }
  },
)

/** Claims a domain. It affects nobody's sign-in until it is verified. */
export const addDomain = defineChange(
  { action: 'domain.create', ...WRITE },
  async ({ transaction, access }, input: { readonly domain: string }) => {
    const domain = readDomain(input.domain)
    if (domain === undefined)
      throw new ApiError('invalid_value', "'domain' must be a domain such as example.com.", {
        param: 'domain',
      })
    if ((await readDomains(transaction, access.organization.id)).length >= DOMAINS_MAX)
      throw new ApiError('conflict', `An organization has at most ${DOMAINS_MAX} domains.`)
    const challenge = createDomainChallenge()
    const row = await storeDomain(transaction, access.organization.id, domain, challenge)
    if (row === undefined)
      throw new ApiError('already_exists', 'The organization has this domain already.')
    return { value: viewDomain(row), target: { kind: 'domain', id: row.id, label: domain } }
  },
)

/** Verifies a domain by its DNS record. */
export const verifyDomain = defineFlow(
  { action: 'domain.verify', ...WRITE },
  async ({ environment, access }, { id }: { readonly id: string }) => {
    const { database, settings } = environment
    const organization = access.organization.id
    const row = isUuid(id) ? await findDomain(database, organization, id) : undefined
    if (row === undefined) throw notFound()
    const resolver = createTxtResolver(settings.console.dns_servers)
    const answer = await askDns(resolver, row.domain, row.challenge)
    if (answer === 'unavailable')
      throw new ApiError('service_unavailable', 'DNS does not answer. Retry in a minute.')
    if (answer === 'absent')
      throw new ApiError('conflict', `There is no such record at ${domainRecordName(row.domain)}.`)
    return markVerified(environment, access.actor, { organization, id })
  },
)

const markVerified = defineChange(
  { action: 'domain.verify', ...WRITE },
  async ({ transaction, access }, { id }: { readonly id: string }) => {
    const before = await findDomain(transaction, access.organization.id, id)
    if (before === undefined) throw notFound()
    const row = await markDomainVerified(transaction, id)
    if (row === undefined)
      throw new ApiError(
        'conflict',
        'Another organization has verified this domain. It loses it three days after the record ' +
          'of that organization is gone; verify it then.',
      )
    return {
      value: viewDomain(row),
      target: { kind: 'domain', id, label: row.domain },
      changes: { verified: [before.verified_at !== null, true] },
    }
  },
)

/** Gives a domain up. Its people cannot sign in with SSO any more. */
export const deleteDomain = defineChange(
  { action: 'domain.delete', ...WRITE },
  async ({ transaction, access }, { id }: { readonly id: string }) => {
    const row = isUuid(id) ? await findDomain(transaction, access.organization.id, id) : undefined
    if (row === undefined) throw notFound()
    const organization = await lockOrganization(transaction, access.organization.id)
    await removeDomain(transaction, id)
    if (organization.sso_only && row.verified_at !== null) {
      await checkSsoUsable(transaction, organization.id)
      if (isOwnDomain(access.actor, row.domain))
        throw new ApiError('conflict', 'You sign in with it: you would lock yourself out.')
    }
    return { value: undefined, target: { kind: 'domain', id, label: row.domain } }
  },
)

function isOwnDomain(actor: Actor, domain: string): boolean {
  return actor.kind === 'person' && domainOfEmail(actor.account.email) === domain
}

function viewDomain(row: DomainRow): Domain {
  return {
    id: row.id,
    domain: row.domain,
    verified_at: row.verified_at?.toISOString() ?? null,
    misses: row.misses,
    record: { name: domainRecordName(row.domain), type: 'TXT', value: row.challenge },
    created_at: row.created_at.toISOString(),
  }
}
