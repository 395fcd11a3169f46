import { oneOf, present, readSorting, textOf, type RawSearch } from '../../shell/search.ts'

/** What the health line leads to. */
export const SHOWN = ['never-ends', 'unused', 'ending'] as const
const KEY_SORTS = ['name', 'expires', 'last_used'] as const

export type Shown = (typeof SHOWN)[number]

export function readKeysSearch(search: RawSearch) {
  return present({
    q: textOf(search['q']),
    state: oneOf(search['state'], ['all']),
    project: textOf(search['project']),
    owner: textOf(search['owner']),
    ...readSorting(search, KEY_SORTS),
    show: oneOf(search['show'], SHOWN),
    /** The dialog for a new key is open; after a `first` one comes the overview. */
    create: oneOf(search['create'], ['1', 'first']),
  })
}
