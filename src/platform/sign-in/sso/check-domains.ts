import { traceError } from '../../../lib/log.ts'
import {
  claimDueDomains,
  lockVerifiedDomain,
  setMisses,
  type DomainRow,
} from '../../../store/sign-in/sso-domains.ts'
import { lockOrganization } from '../../../store/tenants/organizations.ts'
import { pageAddress } from '../accounts/links.ts'
import type { Environment } from '../../use-case/environment.ts'
import {
  createTxtResolver,
  domainRecordName,
  verifyDomain as askDns,
} from '../identity/verify-domain.ts'
import { tellOwners } from '../../members/tell-owners.ts'
import { defineChange } from '../../use-case/use-case.ts'

/** Domains that one process looks up at once. */
const BATCH_DOMAINS = 20

/** Look-ups are a day apart, so that three days pass between the first miss and the last. */
const MISSES_MAX = 4

const JOB = { kind: 'system', name: 'domain check', request: null } as const

type Due = { readonly organization: string; readonly id: string; readonly misses: number }

/**
 * Looks up verified domains again, a batch at a time, each once a day. Any number of processes may
 * do so: each takes domains that no other has. Returns whether there may be more.
 */
export async function checkDueDomains(environment: Environment): Promise<boolean> {
  const due = await claimDueDomains(environment.database, BATCH_DOMAINS)
  const resolver = createTxtResolver(environment.settings.console.dns_servers)
  await Promise.all(
    due.map(async (domain) => {
      const answer = await askDns(resolver, domain.domain, domain.challenge)
      // Without an answer nothing is known: neither that the record is there, nor that it is not.
      if (answer === 'unavailable') return
      await note(environment, domain, answer).catch((error: unknown) => {
        const { organization_id: organizationId } = domain
        environment.log.error({ organizationId, error: traceError(error) }, 'domain check failed')
      })
    }),
  )
  return due.length === BATCH_DOMAINS
}

async function note(
  environment: Environment,
  { id, organization_id: organization, misses }: DomainRow,
  answer: 'present' | 'absent',
): Promise<void> {
  const due = { organization, id, misses }
  if (answer === 'present') {
    if (misses > 0) await noteFound(environment, JOB, due)
  } else if (misses + 1 < MISSES_MAX) await noteMissing(environment, JOB, due)
  else await loseDomain(environment, JOB, due)
}

const noteFound = defineChange(
  { action: 'domain.find', permission: 'sign-in:write' },
  async ({ transaction, access }, due: Due) => {
    await lockOrganization(transaction, access.organization.id)
    const row = await lockVerifiedDomain(transaction, due)
    if (row !== undefined) await setMisses(transaction, row, 0)
    return {
      value: undefined,
      target: { kind: 'domain', id: due.id, label: row?.domain ?? null },
      changes: { misses: [due.misses, 0] },
      unchanged: row === undefined,
    }
  },
)

/** Only the first miss is an event and an email: the others tell nothing new. */
const noteMissing = defineChange(
  { action: 'domain.miss', permission: 'sign-in:write' },
  async ({ environment, transaction, access }, due: Due) => {
    await lockOrganization(transaction, access.organization.id)
    const row = await lockVerifiedDomain(transaction, due)
    if (row !== undefined) await setMisses(transaction, row, due.misses + 1)
    const news = due.misses === 0 ? row : undefined
    return {
      value: undefined,
      target: { kind: 'domain', id: due.id, label: row?.domain ?? null },
      changes: { misses: [0, 1] },
      unchanged: news === undefined,
      afterwards: () => {
        if (news !== undefined) tell(environment, access.organization.slug, news, 'domain_missing')
      },
    }
  },
)

/**
 * The organization no longer has the domain, and another one may verify it. The rule "only SSO"
 * stays: whoever bought an expired domain gets its email, and must not get in with new passwords.
 */
const loseDomain = defineChange(
  { action: 'domain.lose', permission: 'sign-in:write' },
  async ({ environment, transaction, access }, due: Due) => {
    await lockOrganization(transaction, access.organization.id)
    const row = await lockVerifiedDomain(transaction, due)
    if (row !== undefined) await setMisses(transaction, { ...row, verified_at: null }, 0)
    return {
      value: undefined,
      target: { kind: 'domain', id: due.id, label: row?.domain ?? null },
      changes: { verified: [true, false] },
      unchanged: row === undefined,
      afterwards: () => {
        if (row !== undefined) tell(environment, access.organization.slug, row, 'domain_lost')
      },
    }
  },
)

function tell(
  environment: Environment,
  slug: string,
  { organization_id: organizationId, domain, challenge }: DomainRow,
  kind: 'domain_missing' | 'domain_lost',
): void {
  const link = pageAddress(environment.settings, `o/${slug}/settings/sign-in`)
  const record = `${domainRecordName(domain)} TXT ${challenge}`
  environment.later(organizationId, () =>
    tellOwners(environment, organizationId, { kind, domain, record, link }),
  )
}
