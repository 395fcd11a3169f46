import { useEffect, useState } from 'react'
import { leaveFor } from '../../../shell/leave-document.ts'
import { isKnownPage } from './is-known-page.ts'
import { usePaymentOptions } from './use-payment-options.ts'

/** Leads to a page of the payment provider; not to one that the settings do not know. */
export function useLeaveToPage() {
  const hosts = usePaymentOptions().data?.page_hosts
  // A new one at each press: whoever stopped the browser presses again.
  const [wanted, setWanted] = useState<{ readonly url: string } | null>(null)
  const isKnown =
    wanted === null || hosts === undefined ? undefined : isKnownPage(wanted.url, hosts)
  useEffect(() => {
    if (isKnown === true && wanted !== null) leaveFor(wanted.url)
  }, [isKnown, wanted])
  return { isStrange: isKnown === false, leaveTo: (url: string) => setWanted({ url }) }
}
