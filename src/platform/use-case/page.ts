import { ApiError } from '../../contract/error.ts'
import type { PageQuery } from '../../contract/management/schemas.ts'
import { isUuid, type Page } from '../../store/postgres/page.ts'

type Sorting<By extends string> = { readonly sort?: By; readonly order?: 'asc' | 'desc' }

/** The order that a list is asked for; undefined for its own one. */
export function orderOf<By extends string>({ sort, order }: Sorting<By>) {
  return sort === undefined ? undefined : { by: sort, descending: order !== 'asc' }
}

export type List<Item> = { readonly data: Item[]; readonly next: string | null }

export const LIMIT_DEFAULT = 50

/** Newest first. Reads one row more than the page has, to learn whether there is a next page. */
export async function readPage<Row, Item>(
  { limit = LIMIT_DEFAULT, after }: PageQuery,
  read: (page: Page) => Promise<readonly Row[]>,
  view: (row: Row) => Item,
  idOf: (row: Row) => string,
): Promise<List<Item>> {
  checkAfter(after)
  const newestFirst = true
  const rows = await read({ limit: limit + 1, newestFirst, ...(after !== undefined && { after }) })
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { data: shown.map(view), next: last === undefined ? null : idOf(last) }
}

type Total = { readonly count: number; readonly more: boolean }

/** Counting ends here, so that a first page reads no whole table. */
const COUNTED_MAX = 1_000

/** `count` counts up to one more than `COUNTED_MAX`. A search has no total: it leaves some out. */
export async function withTotal<Item>(
  { after, q }: PageQuery & { readonly q?: string },
  list: List<Item>,
  count: (atMost: number) => Promise<number>,
): Promise<List<Item> & { readonly total: Total | null }> {
  if (after !== undefined || q !== undefined) return { ...list, total: null }
  const counted = list.next === null ? list.data.length : await count(COUNTED_MAX + 1)
  return {
    ...list,
    total: { count: Math.min(counted, COUNTED_MAX), more: counted > COUNTED_MAX },
  }
}

export function checkAfter(after: string | undefined): void {
  if (after === undefined || isUuid(after)) return
  throw new ApiError('invalid_value', "'after' must be the `next` of a page.", { param: 'after' })
}
