import type { Payment, PaymentOptions } from '../../contract/payments/payment.ts'
import { findCard } from '../../store/payments/provider-customers.ts'
import { minorUnit } from '../../tenancy/money/minor-units.ts'
import { defineRead } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { findOwnPayment } from './find-own.ts'
import { settingsOf } from './settings-of.ts'
import { viewCard } from './view-card.ts'
import { mayPay, viewPayment } from './view-payment.ts'

const MICRO = 1_000_000

/** A payment as it is known here, without asking the provider. */
export const showPayment = defineRead(
  { action: 'payment.show', permission: 'payments:read' },
  async ({ database, access }, { payment }: { readonly payment: string }): Promise<Payment> =>
    viewPayment(await findOwnPayment(database, access.organization.id, payment), mayPay(access)),
)

/** What a form for payments needs to know. */
export const showPaymentOptions = defineRead(
  { action: 'payment.options', permission: 'payments:read' },
  async ({ database, environment: { settings }, access }): Promise<PaymentOptions> => {
    const { top_up_min: least, top_up_max: most, tax, page_hosts: hosts } = settingsOf(settings)
    const { currency } = settings
    return {
      currency,
      min: viewMoney(least * MICRO, currency),
      max: viewMoney(most * MICRO, currency),
      step: viewMoney(minorUnit(currency) ?? 1, currency),
      tax: tax === 'provider',
      page_hosts: [...hosts],
      card: viewCard(await findCard(database, access.organization.id)),
    }
  },
)
