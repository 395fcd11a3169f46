import { HAS_PAYMENTS } from '../api/place.ts'
import { useOrganization, useOwnOrganizations } from './organization.tsx'

/** Whether the service has payments, and one's role may make them in the organization. */
export function useMayPay(): boolean {
  const { may } = useOrganization()
  return HAS_PAYMENTS && may('payments:write')
}

/** Nothing is added to the balance of an organization that the operator has suspended. */
export function useIsSuspended(): boolean {
  const { slug } = useOrganization()
  const own = useOwnOrganizations().data?.data
  return own?.find((organization) => organization.slug === slug)?.refused === 'suspended'
}
