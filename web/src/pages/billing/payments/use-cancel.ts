import { useChange } from '../../../api/use-api.ts'
import { formatMoney } from '../../../format/number.ts'
import { say } from '../../../parts/toast.tsx'
import { useOrganization } from '../../../shell/organization.tsx'
import { payments as words } from '../../../words/payments.ts'
import { forgetKey } from './payment-key.ts'
import { CHECK } from './use-followed-payment.ts'

/** Closes the page of a payment. Whoever paid it at the same moment is told so. */
export function useCancel(payment: string) {
  const { slug, path } = useOrganization()
  const change = useChange('POST /organizations/{organization}/payments/{payment}/cancel', [
    'GET /organizations/{organization}/payments',
    'GET /organizations/{organization}/balance',
    CHECK,
  ])
  return {
    busy: change.isPending,
    fault: change.error,
    cancel: () =>
      change.mutate(
        { path: { ...path, payment } },
        {
          onSuccess: ({ state, amount }) => {
            forgetKey(slug)
            say(state === 'succeeded' ? words.paidMeanwhile(formatMoney(amount)) : words.cancelled)
          },
        },
      ),
  }
}
