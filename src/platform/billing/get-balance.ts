import { readRecentUsage } from '../../store/ledger/recent-usage.ts'
import { defineRead } from '../use-case/use-case.ts'
import { readBalance } from './read-balance.ts'

export const getBalance = defineRead(
  { action: 'balance.read', permission: 'billing:read' },
  async ({ environment, database, access: { organization } }) => {
    const nowMs = Date.now()
    const recent = await readRecentUsage(database, organization.id, nowMs)
    return readBalance(environment, organization, recent, nowMs)
  },
)
