import { sql, type RawBuilder } from 'kysely'
import type { Page } from '../postgres/page.ts'

/**
 * Each way of finding ends after this many matches, so that a search for a frequent word reads no
 * whole table. Matches at the beginning of a name are found in the order of the name, so the exact
 * name is among them.
 */
export const MATCHES_MAX = 500

/** Above every character that can follow the beginning of a name. */
export const LAST_CHARACTER = '\u{10FFFF}'

const INDEXED = /[\p{L}\p{N}]{3}/u

/** Whether the index of trigrams helps: otherwise only the beginning of names is searched. */
export function isIndexed(term: string): boolean {
  return INDEXED.test(term)
}

/** A pattern of `like` for texts that have the term anywhere. */
export function anywhere(term: string): string {
  return `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

/** A page of the ids that the queries find, newest first. Each of them must have a limit. */
export function pageOfFound(
  queries: readonly RawBuilder<unknown>[],
  { limit, after }: Page,
): RawBuilder<string> {
  const all = sql.join(
    queries.map((query) => sql`(${query})`),
    sql` union `,
  )
  const rest = after === undefined ? sql`` : sql`where id < ${after}::uuid`
  return sql`(select id from (${all}) as found ${rest} order by id desc limit ${limit})`
}
