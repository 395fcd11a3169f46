import { ApiError } from '../../contract/error.ts'
import type { KeptContent } from '../../contract/management/retention.ts'
import { listKeptDays, type KeptDay } from '../../store/content/kept-content.ts'
import { KEPT_RETENTIONS } from '../../tenancy/content-record.ts'
import type { List } from '../use-case/page.ts'
import { defineRead } from '../use-case/use-case.ts'

const DAYS_DEFAULT = 31
const DAY = /^\d{4}-\d{2}-\d{2}$/

export type KeptContentQuery = { readonly limit?: number; readonly after?: string }

/** How much is kept, by kind and day. Never what is kept. */
export const listKeptContent = defineRead(
  { action: 'content.list', permission: 'retention:read' },
  async (
    { database, access },
    { limit = DAYS_DEFAULT, after }: KeptContentQuery,
  ): Promise<List<KeptContent>> => {
    const days = await listKeptDays(database, access.organization.id, {
      limit: limit + 1,
      ...(after !== undefined && { after: readCursor(after) }),
    })
    const shown = days.slice(0, limit)
    const last = days.length > limit ? shown.at(-1) : undefined
    return { data: shown, next: last === undefined ? null : `${last.retention}.${last.day}` }
  },
)

function readCursor(after: string): Pick<KeptDay, 'retention' | 'day'> {
  const [kind = '', day = ''] = after.split('.')
  const retention = KEPT_RETENTIONS.find((each) => each === kind)
  if (retention !== undefined && DAY.test(day) && !Number.isNaN(Date.parse(day)))
    return { retention, day }
  throw new ApiError('invalid_value', "'after' must be the `next` of a page.", { param: 'after' })
}
