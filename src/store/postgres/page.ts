/** Lists are ordered by id, which is by time of creation. */
export type Page = {
  readonly limit: number
  readonly after?: string
  /** Oldest first otherwise. */
  readonly newestFirst?: boolean
}

/** Lower than every id: where a scan by id begins. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a reference is an id rather than a name, which PostgreSQL would not accept as an id. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
