import { HAS_PAYMENTS } from '../api/place.ts'
import { useOrganization } from './organization.tsx'

/** Whether the service has payments, and one's role may make them in the organization. */
export function useMayPay(): boolean {
  const { may } = useOrganization()
  return HAS_PAYMENTS && may('payments:write')
}
