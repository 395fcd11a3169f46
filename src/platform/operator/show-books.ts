import type { Books } from '../../contract/management/operator-books.ts'
import { readBooks } from '../../store/ledger/read-books.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'

/** The accounts of the platform itself. Those of an organization are shown with it. */
export const showBooks = defineRead(
  { action: 'books.show', permission: 'platform:read' },
  async ({ environment, database }, _input: object): Promise<Books> => {
    const money = (micro: number) => viewMoney(micro, environment.settings.currency)
    const { house, sum, summedAt } = await readBooks(database)
    return {
      accounts: house.map(({ id, debits, credits }) => ({
        id: id as Books['accounts'][number]['id'],
        debits: money(debits),
        credits: money(credits),
        balance: money(credits - debits),
      })),
      sum: sum === null ? null : money(sum),
      summed_at: summedAt?.toISOString() ?? null,
    }
  },
)
