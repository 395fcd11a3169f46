import type { Organization } from '../../contract/management/organization.ts'
import type { OrganizationRow } from '../../store/postgres/tables.ts'
import type { Change } from '../use-case/use-case.ts'
import { viewOrganization } from './view-organization.ts'

/** The first event of an organization. */
export function createdOrganization(
  row: OrganizationRow,
  ownerEmail: string | null,
): Change<Organization> {
  const { name, plan, retention } = row
  return {
    value: viewOrganization(row),
    target: { kind: 'organization', id: row.id, label: row.slug },
    changes: {
      name: [null, name],
      plan: [null, plan],
      retention: [null, retention],
      owner: [null, ownerEmail],
    },
    organizationId: row.id,
  }
}
