import type { Project } from '../../contract/management/project.ts'
import type { ProjectRow } from '../../store/postgres/tables.ts'
import type { Settings } from '../use-case/environment.ts'
import { viewMoney } from '../use-case/view-money.ts'

export function viewProject(row: ProjectRow, { currency }: Pick<Settings, 'currency'>): Project {
  const limit = row.spending_limit
  return {
    id: row.id,
    name: row.name,
    spending_limit: limit === null ? null : viewMoney(limit, currency),
    created_at: row.created_at.toISOString(),
    archived_at: row.archived_at?.toISOString() ?? null,
  }
}

/** What the audit log records of a project. */
export const PROJECT_FIELDS = ['name', 'spending_limit', 'archived_at'] as const
