import type { Retention } from '../../contract/management/retention.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import { termsFrom } from '../../store/tenants/identities.ts'
import { retentionInForce } from '../../tenancy/retention.ts'
import type { Settings } from '../use-case/environment.ts'

export function viewRetention(settings: Settings, organization: OrganizationRow): Retention {
  const { standard_days, contributor_days, contributor_terms } = settings.retention
  const consent = termsFrom(organization)
  const keepsContent = settings.content_key !== undefined
  return {
    retention: organization.retention,
    in_force: retentionInForce(organization.retention, consent, keepsContent),
    standard_days,
    contributor_days,
    contributor_terms: contributor_terms ?? null,
    consent:
      consent === null
        ? null
        : {
            version: consent.version,
            accepted_at: consent.acceptedAt.toISOString(),
            accepted_by: consent.acceptedBy,
          },
  }
}
