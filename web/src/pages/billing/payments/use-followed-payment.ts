import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { RouteName } from '../../../api/call.ts'
import type { Payment } from '../../../api/routes.ts'
import { useApi } from '../../../api/use-api.ts'
import { useOrganization } from '../../../shell/organization.tsx'
import { forgetKey } from './payment-key.ts'
import { OPTIONS } from './use-payment-options.ts'

export const CHECK = 'POST /organizations/{organization}/payments/{payment}/check'

const EVERY_MS = 2_000
const LATE_MS = 30_000

/** What a payment that is over may have changed. */
const CHANGED: readonly RouteName[] = [
  'GET /organizations/{organization}/payments',
  'GET /organizations/{organization}/balance',
  'GET /organizations/{organization}/balance/transfers',
  OPTIONS,
  'GET /me/organizations',
]

/** Nothing changes it any more, or only the operator does. */
export function isOver({ state }: Pick<Payment, 'state'>): boolean {
  return state !== 'created' && state !== 'open' && state !== 'processing'
}

/** Asks the provider about a payment while somebody looks at the page, until it is over. */
export function useFollowedPayment(id: string) {
  const { slug, path } = useOrganization()
  const queries = useQueryClient()
  const [since] = useState(Date.now)
  const [ended, setEnded] = useState(false)
  const reading = useApi(
    CHECK,
    { path: { ...path, payment: id } },
    { enabled: !ended, every: EVERY_MS },
  )
  const isEnded = reading.data !== undefined && isOver(reading.data)
  useEffect(() => {
    if (!isEnded) return
    setEnded(true)
    forgetKey(slug)
    for (const name of CHANGED) void queries.invalidateQueries({ queryKey: [name] })
  }, [isEnded, queries, slug])
  return { reading, isLate: !isEnded && reading.dataUpdatedAt - since > LATE_MS }
}
