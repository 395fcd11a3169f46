import { ApiError } from '../../contract/error.ts'
import type { NewPayment, Payment } from '../../contract/payments/payment.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { uuidV7 } from '../../lib/uuid.ts'
import { findAccount, lockAccount } from '../../store/tenants/accounts.ts'
import { insertPayment } from '../../store/payments/payments.ts'
import { countStarted } from '../../store/payments/count-payments.ts'
import { lockOrganization } from '../../store/tenants/organizations.ts'
import type { Actor } from '../../tenancy/actor.ts'
import { minorUnit } from '../../tenancy/money/minor-units.ts'
import { checkNotSuspended } from '../use-case/check-not-suspended.ts'
import type { Environment } from '../use-case/environment.ts'
import { readMoney } from '../use-case/read-money.ts'
import { defineChange, defineFlow } from '../use-case/use-case.ts'
import { viewMoney } from '../use-case/view-money.ts'
import { checkDeclines } from './check-declines.ts'
import { checkStarted } from './check-started.ts'
import { openPage } from './open-page.ts'
import { settingsOf } from './settings-of.ts'
import { viewPayment } from './view-payment.ts'

/** How long a page can be paid. */
const PAGE_MS = HOUR_MS
/** Nobody opens the page of a payment that is older; twice as long, so that nobody is about to. */
export const OPENED_WITHIN_MS = 5 * MINUTE_MS
const LOOKED_FOR_AFTER_MS = 2 * OPENED_WITHIN_MS

const MICRO = 1_000_000

/**
 * Starts a payment and opens its page. The row is committed before the provider is asked: whatever
 * happens to this process, the row says what to look for.
 */
export const startPayment = defineFlow(
  { action: 'payment.open', permission: 'payments:write' },
  async ({ environment, access }, { amount, save_card = false }: NewPayment): Promise<Payment> => {
    const { organization, actor } = access
    const micro = readAmount(environment, amount)
    const facts = { organization: organization.id, amount: micro, save_card }
    const row = await recordPayment(environment, actor, facts)
    environment.paymentMetrics?.moved(row.kind, row.state)
    return viewPayment(await openPage(environment, organization, row), true)
  },
)

type Facts = { readonly amount: number; readonly save_card: boolean }

const recordPayment = defineChange(
  { action: 'payment.start', permission: 'payments:write' },
  async ({ environment, transaction, access }, { amount, save_card }: Facts) => {
    const { currency } = environment.settings
    const account = accountOf(access.actor)
    await lockAccount(transaction, account.id, 'update')
    const { email_verified_at: verifiedAt } = await findAccount(transaction, account.id)
    if (verifiedAt === null)
      throw new ApiError('role_required', 'Confirm your email address first.')
    const organization = await lockOrganization(transaction, access.organization.id)
    checkNotSuspended(organization)
    const organizationId = organization.id
    await checkDeclines(transaction, organizationId)
    const started = await countStarted(transaction, organizationId, account.id)
    checkStarted(started, amount, environment.settings)
    const now = Date.now()
    const row = await insertPayment(transaction, {
      id: uuidV7(now),
      organization_id: organizationId,
      kind: 'page',
      amount,
      currency,
      save_card,
      started_by: account.id,
      created_at: new Date(now),
      expires_at: new Date(now + PAGE_MS),
      next_at: new Date(now + LOOKED_FOR_AFTER_MS),
    })
    return {
      value: row,
      target: { kind: 'payment', id: row.id },
      changes: {
        amount: [null, viewMoney(amount, currency)],
        ...(save_card && { save_card: [null, true] }),
      },
    }
  },
)

/** What organizations pay is a person's decision. */
function accountOf(actor: Actor) {
  if (actor.kind === 'person') return actor.account
  throw new ApiError('scope_required', 'Payments are started by people who are signed in.')
}

/** Whole minor units between the two bounds, so that the page asks for exactly this amount. */
function readAmount({ settings }: Environment, amount: NewPayment['amount']): number {
  const { top_up_min: least, top_up_max: most } = settingsOf(settings)
  const { currency } = settings
  const micro = readMoney(amount, currency, 'amount')
  const inBounds = micro >= least * MICRO && micro <= most * MICRO
  if (inBounds && micro % (minorUnit(currency) ?? 1) === 0) return micro
  const bounds = `from ${least} to ${most} ${currency}`
  const message = `'amount.amount' must be ${bounds}, in whole minor units.`
  throw new ApiError('invalid_value', message, { param: 'amount.amount' })
}
