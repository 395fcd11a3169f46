import type { PageQuery } from '../../../contract/management/schemas.ts'
import type { UsageSumQuery } from '../../../contract/management/usage.ts'
import { listFundsChanges } from '../../../store/ledger/double-entry.ts'
import { listActiveMembers } from '../../../store/people/members.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import { viewTransfer } from '../../billing/list-transfers.ts'
import { viewMember } from '../../members/view-member.ts'
import { sumsOf } from '../../usage/read-usage.ts'
import { readPage } from '../../use-case/page.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { readAsSupport } from '../read-as-support.ts'

type WithinOrganization = PageQuery & { readonly organization: string }

/** What has changed the balance of any organization, except usage, newest first. */
export const listTransfersOf = defineRead(
  { action: 'transfer.list_any', permission: 'platform:read' },
  async ({ environment, database }, { organization, ...query }: WithinOrganization) => {
    const { id } = await findOrganization(database, organization)
    return readPage(
      query,
      (page) => listFundsChanges(database, id, page),
      (row) => viewTransfer(row, environment.settings.currency),
      (row) => row.id,
    )
  },
)

/** What any organization used, without who or with which key: as much as its balance tells. */
export const sumUsageOf = defineRead(
  { action: 'usage.read_any', permission: 'platform:read' },
  async (
    { environment, database },
    { organization, ...query }: UsageSumQuery & { readonly organization: string },
  ) => {
    const { id } = await findOrganization(database, organization)
    return sumsOf(environment, database, id, { ...query, filter: {} })
  },
)

/** Active members of any organization, newest account first. Support needs an owner's consent. */
export const listMembersOf = defineRead(
  { action: 'member.list_any', permission: 'platform:read' },
  async ({ database, access }, { organization, ...query }: WithinOrganization) => {
    const { id, slug } = await findOrganization(database, organization)
    const target = { kind: 'organization', id, label: slug }
    await readAsSupport(database, access, { organizationId: id, action: 'member.list_any', target })
    return readPage(
      query,
      (page) => listActiveMembers(database, id, page),
      (row) => viewMember(row, access),
      (row) => row.account_id,
    )
  },
)
