import { present, readSorting, type RawSearch } from '../../shell/search.ts'

export function readProjectsSearch(search: RawSearch) {
  return present(readSorting(search, ['name']))
}
