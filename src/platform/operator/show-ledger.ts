import type { Ledger } from '../../contract/management/operator-ledger.ts'
import { readLedger } from '../../store/ledger/read-ledger.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'

/** The accounts of the platform itself. Those of an organization are shown with it. */
export const showLedger = defineRead(
  { action: 'ledger.show', permission: 'platform:read' },
  async ({ environment, database }, _input: object): Promise<Ledger> => {
    const money = (micro: number) => viewMoney(micro, environment.settings.currency)
    const { own, sum, summedAt } = await readLedger(database)
    return {
      accounts: own.map(({ id, debits, credits }) => ({
        id: id as Ledger['accounts'][number]['id'],
        debits: money(debits),
        credits: money(credits),
        balance: money(credits - debits),
      })),
      sum: sum === null ? null : money(sum),
      summed_at: summedAt?.toISOString() ?? null,
    }
  },
)
