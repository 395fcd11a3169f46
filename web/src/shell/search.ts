// Filters live in the address as plain text. A page reads them with these; what it does not know is
// dropped, so that a link can never put a page into a state it has no controls for.

export type RawSearch = Readonly<Record<string, unknown>>

export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const texts = entries.map(([key, value]): [string, string] => [key, String(value)])
  const text = new URLSearchParams(texts).toString()
  return text === '' ? '' : `?${text}`
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function oneOf<const Value extends string>(
  value: unknown,
  allowed: readonly Value[],
): Value | undefined {
  return allowed.find((known) => known === value)
}

/** How the database sorts a list; otherwise newest first. */
export function readSorting<const By extends string>(search: RawSearch, by: readonly By[]) {
  return {
    sort: oneOf(search['sort'], by),
    order: oneOf(search['order'], ['asc', 'desc']),
  }
}

/** What a list of the API is asked for; an order alone means nothing. */
export function sortingOf<By extends string>({
  sort,
  order,
}: {
  readonly sort?: By
  readonly order?: 'asc' | 'desc'
}): { readonly sort?: By; readonly order?: 'asc' | 'desc' } {
  return sort === undefined ? {} : { sort, ...(order !== undefined && { order }) }
}

/** What a control changes in the search of a page; undefined removes a parameter. */
export type SearchChange<Search> = { readonly [Key in keyof Search]?: Search[Key] | undefined }

type Present<Search> = { [Key in keyof Search]?: Exclude<Search[Key], undefined> }

/** Without the properties that are undefined, as exact optional types ask for. */
export function present<Search extends object>(search: Search): Present<Search> {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Present<Search>
}
