import type { Statement, Statements } from '../../contract/management/statement.ts'
import { listStatements as readStatements } from '../../store/ledger/statements.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'

/** What was used in each month that is over, newest first. */
export const listStatements = defineRead(
  { action: 'statement.list', permission: 'billing:read' },
  async ({ environment, database, access: { organization } }): Promise<Statements> => {
    const { currency } = environment.settings
    const statements = await readStatements(database, organization.id)
    return {
      data: statements.map((statement): Statement => ({
        month: statement.month,
        requests: statement.requests,
        prompt_tokens: statement.promptTokens,
        cached_tokens: statement.cachedTokens,
        completion_tokens: statement.completionTokens,
        reasoning_tokens: statement.reasoningTokens,
        cost: viewMoney(statement.cost, currency),
        issued_at: statement.issuedAt.toISOString(),
      })),
    }
  },
)
