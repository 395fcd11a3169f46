import type { OrganizationDetail } from '../../../contract/management/operator-organization.ts'
import { balanceOf, type Balance } from '../../../store/ledger/double-entry.ts'
import { findOperatorInvitation } from '../../../store/people/invitations.ts'
import { hasAnotherOwner } from '../../../store/people/members.ts'
import { findSupportAccessEnd } from '../../../store/people/support-access-end.ts'
import { countKeys } from '../../../store/tenants/count-keys.ts'
import type { InvitationRow } from '../../../store/postgres/platform-tables.ts'
import { findOrganization } from '../../../store/tenants/organizations.ts'
import { creditUsed } from '../../../tenancy/funds.ts'
import { viewForOperator } from '../../organizations/view-for-operator.ts'
import type { Access } from '../../use-case/authorize.ts'
import { planOf } from '../../use-case/plan-of.ts'
import { defineRead } from '../../use-case/use-case.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { platformRoleOf } from '../read-as-support.ts'
import { limitsInForce } from './limits-in-force.ts'

/** Keys are counted up to here. */
export const KEYS_MAX = 1_000

/** An organization by id or slug, with what is in force for it. */
export const showOrganization = defineRead(
  { action: 'organization.show_any', permission: 'platform:read' },
  async ({ environment, database, access }, { organization }: { organization: string }) => {
    const { settings } = environment
    const row = await findOrganization(database, organization)
    const [balance, keys, supportEnd, hasOwner, invited] = await Promise.all([
      balanceOf(database, row.id),
      countKeys(database, { organizationId: row.id }, KEYS_MAX + 1),
      findSupportAccessEnd(database, row.id),
      hasAnotherOwner(database, row.id, null),
      findOperatorInvitation(database, row.id),
    ])
    const value: OrganizationDetail = {
      organization: viewForOperator(row),
      limits_in_force: limitsInForce(settings, row),
      billing: planOf(settings, row)?.billing ?? null,
      balance: viewBalance(balance, settings.currency),
      credit_limit: viewLimit(row.credit_limit, settings.currency),
      credit_used: viewMoney(creditUsed(balance, balance.spent), settings.currency),
      keys: { count: Math.min(keys, KEYS_MAX), more: keys > KEYS_MAX },
      sso_only: row.sso_only,
      support_access_ends_at: supportEnd?.toISOString() ?? null,
      has_owner: hasOwner,
      owner_invitation: seesPeople(access) ? viewInvited(invited) : null,
    }
    return value
  },
)

/** Support sees who is in an organization only with consent, and so who is invited. */
function seesPeople({ actor }: Access): boolean {
  return platformRoleOf(actor) !== 'support'
}

function viewInvited(invited: InvitationRow | undefined) {
  if (invited === undefined) return null
  return { email: invited.email, ends_at: invited.ends_at.toISOString() }
}

export function viewLimit(limit: number | null, currency: string) {
  return limit === null ? null : viewMoney(limit, currency)
}

type Shown = Pick<Balance, 'granted' | 'spent' | 'balance'>

export function viewBalance({ granted, spent, balance }: Shown, currency: string) {
  return {
    granted: viewMoney(granted, currency),
    spent: viewMoney(spent, currency),
    balance: viewMoney(balance, currency),
  }
}
