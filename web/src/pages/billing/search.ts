import { present, type RawSearch } from '../../shell/search.ts'

export function readBillingSearch(_search: RawSearch) {
  return present({})
}
