import { ApiError } from '../../contract/error.ts'
import type {
  Reconciliation,
  ReconciliationsQuery,
} from '../../contract/management/operator-ledger.ts'
import {
  listReconciliations as list,
  type ReconciliationRow,
} from '../../store/ledger/list-reconciliations.ts'
import { defineRead } from '../use-case/use-case.ts'

const LIMIT_DEFAULT = 50
/** Names of engines have none. */
const SEPARATOR = '~'

/** What was found when usage was compared with other counts, newest first. */
export const listReconciliations = defineRead(
  { action: 'reconciliation.list', permission: 'platform:read' },
  async ({ database }, query: ReconciliationsQuery) => {
    const { limit = LIMIT_DEFAULT, after, differing = false } = query
    const start = after === undefined ? {} : { after: readCursor(after) }
    const rows = await list(database, { limit: limit + 1, differing, ...start })
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return { data: shown.map(viewReconciliation), next: last === undefined ? null : cursorOf(last) }
  },
)

export function viewReconciliation(row: ReconciliationRow): Reconciliation {
  return {
    hour: row.hour.toISOString(),
    source: row.source,
    name: row.name,
    ledger: {
      records: row.ledger_records,
      prompt_tokens: row.ledger_prompt,
      completion_tokens: row.ledger_completion,
    },
    counted: {
      records: row.counted_records,
      prompt_tokens: row.counted_prompt,
      completion_tokens: row.counted_completion,
    },
    difference: row.difference,
    checked_at: row.checked_at.toISOString(),
  }
}

function cursorOf({ hour, source, name }: ReconciliationRow): string {
  return [hour.toISOString(), source, name].join(SEPARATOR)
}

function readCursor(text: string) {
  const [time = '', source, name] = text.split(SEPARATOR)
  const hour = new Date(time)
  const known = source === 'engine' || source === 'usage_log'
  if (Number.isNaN(hour.getTime()) || !known || name === undefined)
    throw new ApiError('invalid_value', "'after' must be the `next` of a page.", { param: 'after' })
  return { hour, source, name } as const
}
