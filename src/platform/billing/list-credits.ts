import type { Credits } from '../../contract/management/billing.ts'
import { readCredits } from '../../store/ledger/credit-lots.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'

/** Money that expires and is not used up, by posted usage. */
export const listCredits = defineRead(
  { action: 'credit.list', permission: 'billing:read' },
  async ({ environment, database, access: { organization } }): Promise<Credits> => {
    const money = (micro: number) => viewMoney(micro, environment.settings.currency)
    const { lots, rest } = await readCredits(database, organization.id)
    const data = lots.map(({ id, amount, remaining, grantedAt, expiresAt }) => ({
      id,
      amount: money(amount),
      remaining: money(remaining),
      granted_at: grantedAt.toISOString(),
      expires_at: expiresAt.toISOString(),
    }))
    return { data, rest: money(rest) }
  },
)
