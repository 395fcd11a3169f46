import type { ListedPayment } from '../../../payments/provider.ts'
import { adoptPayment as insertAdopted } from '../../../store/payments/lost-payments.ts'
import { storeCustomer } from '../../../store/payments/provider-customers.ts'
import { lockOrganization } from '../../../store/tenants/organizations.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { READING_LEASE_SECONDS } from '../next-reading.ts'

/** A charge that Stripe has no card of any more is still a charge of a saved card. */
const NO_CARD = ''

/**
 * Writes the row of a payment from what the provider's object says of it, and who the organization
 * is there if that was lost too. Nothing is credited here. Returns the row, which is claimed for
 * whoever reads it at once; undefined if there is one already.
 *
 * A charge is written as if it had expired. One that was paid is credited in that state as in any
 * other, it is never charged again, and another charge of the organization may be in flight.
 */
export const adoptPayment = defineChange(
  { action: 'payment.adopt', permission: 'platform:write' },
  async ({ environment, transaction }, listed: ListedPayment) => {
    const { currency } = environment.settings
    const { ref, paymentId, organizationId, customer, createdAt } = listed
    await lockOrganization(transaction, organizationId)
    const isPage = listed.kind === 'page'
    const row = await insertAdopted(
      transaction,
      {
        id: paymentId,
        organization_id: organizationId,
        kind: isPage ? 'page' : 'automatic',
        state: isPage ? 'open' : 'expired',
        amount: listed.net,
        currency,
        ref,
        save_card: listed.saveCard,
        card_ref: isPage ? null : (listed.card ?? NO_CARD),
        total_max: isPage ? null : listed.total,
        created_at: createdAt,
        expires_at: listed.expiresAt ?? createdAt,
      },
      READING_LEASE_SECONDS,
    )
    const known = await storeCustomer(transaction, organizationId, customer)
    return {
      value: row,
      target: { kind: 'payment', id: paymentId },
      changes: {
        amount: [null, viewMoney(listed.net, currency)],
        ref: [null, ref],
        ...(known === customer && { customer: [null, customer] }),
      },
      organizationId,
      unchanged: row === undefined,
    }
  },
)
