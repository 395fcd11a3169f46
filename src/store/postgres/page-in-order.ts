import { sql, type RawBuilder } from 'kysely'
import type { Page } from './page.ts'

/** An order that a list is asked for instead of the one of its ids. */
export type Order<By extends string> = { readonly by: By; readonly descending: boolean }

/**
 * No index has these orders. The newest rows up to this number are sorted for each page instead: a
 * few milliseconds.
 */
export const SORTED_MAX = 10_000

export type Sorted = {
  /** The tables whose rows are sorted, and conditions on them. */
  readonly rows: RawBuilder<unknown>
  readonly id: RawBuilder<unknown>
  readonly key: RawBuilder<unknown>
  readonly descending: boolean
  /** A query of `id`, newest first, of at most `SORTED_MAX` rows. */
  readonly newest: RawBuilder<unknown>
  /** Of the row that the page before ended with, so that no place of foreign rows shows. */
  readonly condition: RawBuilder<unknown>
}

/** The ids of a page, after the row that was the last one of the page before. */
export function pageInOrder(
  { rows, id, key, descending, newest, condition }: Sorted,
  { limit, after }: Page,
): RawBuilder<string> {
  const direction = descending ? sql`desc` : sql`asc`
  const rest =
    after === undefined
      ? sql``
      : sql`where (${key}, ${id}) ${descending ? sql`<` : sql`>`}
          (select ${key}, ${id} from ${rows} where ${id} = ${after} and ${condition})`
  return sql`(select ${id} from ${rows} join (${newest}) as newest (newest_id)
    on newest.newest_id = ${id}
    ${rest} order by ${key} ${direction}, ${id} ${direction} limit ${limit})`
}

/** The order of a page that `pageInOrder` found. */
export function inOrder({ id, key, descending }: Pick<Sorted, 'id' | 'key' | 'descending'>) {
  const direction = descending ? sql`desc` : sql`asc`
  return sql`${key} ${direction}, ${id} ${direction}`
}
