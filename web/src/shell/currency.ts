import { useApi } from '../api/use-api.ts'
import { useOrganization } from './organization.tsx'

const FRESH_MS = 60_000

/** The currency of the service; empty until it is known, and for those who may see no money. */
export function useCurrency(): string {
  const { path, may } = useOrganization()
  const balance = useApi(
    'GET /organizations/{organization}/balance',
    { path },
    { enabled: may('billing:read'), freshFor: FRESH_MS },
  )
  return balance.data?.balance.currency ?? ''
}
