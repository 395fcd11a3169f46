import { ApiError } from '../../../contract/error.ts'
import {
  consentVersion,
  type AutomaticTopUpChange,
} from '../../../contract/payments/automatic-top-up.ts'
import { lockOrganization } from '../../../store/tenants/organizations.ts'
import { findCard } from '../../../store/payments/provider-customers.ts'
import { cancelUnpaid, findTopUp, turnOff, turnOn } from '../../../store/payments/top-ups.ts'
import type { TopUpRow } from '../../../store/postgres/payment-tables.ts'
import type { Actor } from '../../../tenancy/actor.ts'
import { minorUnit } from '../../../tenancy/money/minor-units.ts'
import { planOf } from '../../use-case/plan-of.ts'
import { readMoney } from '../../use-case/read-money.ts'
import type { Settings } from '../../use-case/environment.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { viewMoney } from '../../use-case/view-money.ts'
import { settingsOf } from '../settings-of.ts'
import { readTopUp } from './read-top-up.ts'

const MICRO = 1_000_000
const NAMES = ['threshold', 'amount', 'month_max'] as const

type Amounts = Readonly<Record<(typeof NAMES)[number], number>>

/** Turns it on, changes it, or turns it off: then nothing that was begun is charged any more. */
export const changeTopUp = defineChange(
  { action: 'top_up.change', permission: 'automatic-top-up:write', confirmed: true },
  async ({ environment: { settings }, transaction, access }, input: AutomaticTopUpChange) => {
    const { automatic_per_day: dayMax } = settingsOf(settings)
    const { id, plan } = await lockOrganization(transaction, access.organization.id)
    const before = await findTopUp(transaction, id)
    const target = { kind: 'organization', id, label: access.organization.slug }
    const view = async () => readTopUp(settings, transaction, id)
    if (!input.enabled) {
      if (before === undefined || !before.enabled)
        return { value: await view(), target, unchanged: true }
      const off = await turnOff(transaction, id)
      await cancelUnpaid(transaction, id)
      return { value: await view(), target, changes: changesOf(settings, before, off) }
    }
    if (planOf(settings, { plan })?.billing !== 'prepaid')
      throw new ApiError('conflict', 'This plan is not paid from a balance.')
    if ((await findCard(transaction, id)) === null)
      throw new ApiError('conflict', 'Pay once and let the card be kept, then turn this on.')
    const consent = consentVersion(dayMax)
    if (input.consent !== consent)
      throw invalid('consent', `must be '${consent}', the text that is shown now`)
    const agreed = {
      organization_id: id,
      ...readAmounts(settings, input),
      consent,
      day_max: dayMax,
      consented_by: personOf(access.actor),
    }
    const after = await turnOn(transaction, agreed, { isNew: before?.enabled !== true })
    return { value: await view(), target, changes: changesOf(settings, before, after) }
  },
)

/** That a card is charged is agreed to by a person. */
function personOf(actor: Actor): string {
  if (actor.kind === 'person') return actor.account.id
  throw new ApiError('scope_required', 'An owner who is signed in agrees to this.')
}

function readAmounts(settings: Settings, input: AutomaticTopUpChange): Amounts {
  const { top_up_min: least, top_up_max: most } = settingsOf(settings)
  const { currency } = settings
  const read = (name: keyof Amounts): number => {
    const money = input[name]
    if (money === undefined) throw invalid(name, 'is needed')
    const micro = readMoney(money, currency, name)
    if (micro > 0 && micro % (minorUnit(currency) ?? 1) === 0) return micro
    throw invalid(`${name}.amount`, 'must be above 0, in whole minor units')
  }
  const [threshold, amount, month_max] = [read('threshold'), read('amount'), read('month_max')]
  if (amount < least * MICRO || amount > most * MICRO)
    throw invalid('amount.amount', `must be from ${least} to ${most} ${currency}`)
  if (month_max < amount) throw invalid('month_max.amount', 'must not be below the amount')
  if (threshold > month_max) throw invalid('threshold.amount', 'must not exceed the month')
  return { threshold, amount, month_max }
}

function invalid(param: string, must: string): ApiError {
  return new ApiError('invalid_value', `'${param}' ${must}.`, { param })
}

function changesOf({ currency }: Settings, before: TopUpRow | undefined, after: TopUpRow) {
  const amounts = NAMES.map((name) => {
    const of = (row: TopUpRow | undefined) =>
      row === undefined ? null : viewMoney(row[name], currency)
    return [name, [of(before), of(after)]] as const
  })
  return {
    enabled: [before?.enabled ?? false, after.enabled] as const,
    ...Object.fromEntries(amounts.filter(([name]) => before?.[name] !== after[name])),
    ...(after.enabled && { consent: [before?.consent ?? null, after.consent] as const }),
  }
}
