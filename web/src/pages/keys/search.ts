import { oneOf, present, textOf, type RawSearch } from '../../shell/search.ts'

/** What the health line leads to. */
export const SHOWN = ['never-ends', 'unused', 'ending'] as const
export type Shown = (typeof SHOWN)[number]

export function readKeysSearch(search: RawSearch) {
  return present({
    q: textOf(search['q']),
    state: oneOf(search['state'], ['all']),
    project: textOf(search['project']),
    owner: textOf(search['owner']),
    show: oneOf(search['show'], SHOWN),
    /** The dialog for a new key is open. */
    create: oneOf(search['create'], ['1']),
  })
}
