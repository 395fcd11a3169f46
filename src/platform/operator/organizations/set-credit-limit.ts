import type { CreditLimit } from '../../../contract/management/operator-organization.ts'
import {
  changeOrganization,
  findOrganization,
  lockOrganization,
} from '../../../store/tenants/organizations.ts'
import { checkText } from '../../use-case/check-text.ts'
import { readMoney } from '../../use-case/read-money.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { viewLimit } from './show-organization.ts'

type Input = CreditLimit & { readonly organization: string }

/** Sets what an organization may owe at most while its plan is postpaid, or removes that limit. */
export const setCreditLimit = defineChange(
  { action: 'credit_limit.set', permission: 'platform:write', confirmed: true },
  async ({ environment, transaction }, { organization, credit_limit: given, reason }: Input) => {
    const { currency } = environment.settings
    checkText(reason, 'reason')
    const creditLimit = given === null ? null : readMoney(given, currency, 'credit_limit')
    const { id, slug } = await findOrganization(transaction, organization)
    const before = await lockOrganization(transaction, id)
    const { value, raised } = await changeOrganization(transaction, id, { creditLimit })
    const [was, is] = [before, value].map((row) => viewLimit(row.credit_limit, currency))
    return {
      value: { credit_limit: is ?? null },
      target: { kind: 'organization', id, label: slug },
      changes: { credit_limit: [was, is], reason: [null, reason] },
      unchanged: before.credit_limit === creditLimit,
      organizationId: id,
      raised,
    }
  },
)
