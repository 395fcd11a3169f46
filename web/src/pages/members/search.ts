import { oneOf, present, readSorting, type RawSearch } from '../../shell/search.ts'

export function readMembersSearch(search: RawSearch) {
  return present({
    /** The dialog that is open. */
    open: oneOf(search['open'], ['invite']),
    ...readSorting(search, ['name', 'role']),
  })
}

export type MembersSearch = ReturnType<typeof readMembersSearch>
