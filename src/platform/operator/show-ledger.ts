import type { Ledger } from '../../contract/management/operator-ledger.ts'
import { readLedger } from '../../store/ledger/read-ledger.ts'
import { sumProviderDays } from '../../store/payments/books/list-provider-days.ts'
import { defineRead } from '../use-case/use-case.ts'
import { PROVIDER_ACCOUNT } from '../payments/ledger-names.ts'
import { viewMoney } from '../use-case/view-money.ts'

/** The accounts of the platform itself. Those of an organization are shown with it. */
export const showLedger = defineRead(
  { action: 'ledger.show', permission: 'platform:read' },
  async ({ environment, database }, _input: object): Promise<Ledger> => {
    const money = (micro: number) => viewMoney(micro, environment.settings.currency)
    const { own, sum, summedAt } = await readLedger(database)
    const compared = await sumProviderDays(database)
    const held = own.find(({ id }) => id === PROVIDER_ACCOUNT) ?? { debits: 0, credits: 0 }
    return {
      accounts: own.map(({ id, debits, credits }) => ({
        id: id as Ledger['accounts'][number]['id'],
        debits: money(debits),
        credits: money(credits),
        balance: money(credits - debits),
      })),
      sum: sum === null ? null : money(sum),
      summed_at: summedAt?.toISOString() ?? null,
      provider:
        compared === undefined
          ? null
          : {
              compared_until: compared.until,
              theirs: money(compared.theirs),
              ours: money(compared.ours),
              not_compared: money(held.debits - held.credits - compared.ours),
            },
    }
  },
)
