import type { Money } from '../api/routes.ts'
import { LOCALE } from './locale.ts'
import { UNKNOWN } from './unknown.ts'

// All figures go through Intl, in the language of the words. Unknown is a dash, zero is 0.

export { UNKNOWN }

const whole = new Intl.NumberFormat(LOCALE)
const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 })

export function formatCount(count: number | null | undefined): string {
  return count === null || count === undefined ? UNKNOWN : whole.format(count)
}

/** 1.2M, for axes; the exact figure must be near. */
export function formatCompact(count: number): string {
  return compact.format(count)
}

export function formatShare(part: number, sum: number): string {
  return sum === 0 ? UNKNOWN : percent.format(part / sum)
}

const fixed = new Map<number, Intl.NumberFormat>()

function withDecimals(decimals: number): Intl.NumberFormat {
  const known = fixed.get(decimals)
  if (known !== undefined) return known
  const made = new Intl.NumberFormat(LOCALE, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  fixed.set(decimals, made)
  return made
}

/** Sums have two decimals, the cost of a request six. "< 0.01" is neither zero nor unknown. */
export function formatAmount(micro: number | null | undefined, decimals: 2 | 6 = 2): string {
  if (micro === null || micro === undefined) return UNKNOWN
  const units = micro / 1_000_000
  const least = 10 ** -decimals
  if (units > 0 && units < least / 2) return `< ${withDecimals(decimals).format(least)}`
  return withDecimals(decimals).format(units)
}

export function formatMoney(money: Money | null | undefined, decimals: 2 | 6 = 2): string {
  if (money === null || money === undefined) return UNKNOWN
  return `${formatAmount(money.amount_micro, decimals)} ${money.currency}`
}

/** Tokens per second: a decimal of thousands says nothing. */
export function formatRate(rate: number | null | undefined): string {
  return formatDecimal(rate, rate !== null && rate !== undefined && rate >= 100 ? 0 : 1)
}

export function formatDecimal(value: number | null | undefined, decimals: number): string {
  return value === null || value === undefined ? UNKNOWN : withDecimals(decimals).format(value)
}
