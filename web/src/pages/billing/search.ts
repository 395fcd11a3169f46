import { oneOf, present, textOf, type RawSearch } from '../../shell/search.ts'

export function readBillingSearch(search: RawSearch) {
  return present({
    /** The dialog that adds money is open. */
    add: oneOf(search['add'], ['1']),
    /** Whoever paid came back from the page of this payment. */
    payment: textOf(search['payment']),
    /** Whoever did not pay came back from it. */
    cancelled: textOf(search['cancelled']),
  })
}
