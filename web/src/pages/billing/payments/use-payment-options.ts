import { useApi } from '../../../api/use-api.ts'
import { useOrganization } from '../../../shell/organization.tsx'

const FRESH_MS = 60_000

export const OPTIONS = 'GET /organizations/{organization}/payment-options'

/** Which amounts can be paid, where pages may be, and the card that is kept. */
export function usePaymentOptions() {
  const { path } = useOrganization()
  return useApi(OPTIONS, { path }, { freshFor: FRESH_MS })
}
