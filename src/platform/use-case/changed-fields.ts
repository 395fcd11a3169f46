import { isDeepStrictEqual } from 'node:util'
import type { AuditChanges } from '../../store/postgres/platform-tables.ts'

/** The fields of the list that differ, before and after. Only what is listed is ever recorded. */
export function changedFields<Field extends string>(
  before: Readonly<Record<Field, unknown>>,
  after: Readonly<Record<Field, unknown>>,
  fields: readonly Field[],
): AuditChanges {
  return Object.fromEntries(
    fields
      .filter((field) => !isDeepStrictEqual(before[field], after[field]))
      .map((field) => [field, [before[field], after[field]] as const]),
  )
}
