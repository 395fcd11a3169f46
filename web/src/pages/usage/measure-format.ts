import { formatAmount, formatCompact, formatCount, formatDecimal } from '../../format/number.ts'
import type { Measure } from './search.ts'

const MICRO = 1_000_000

export function formatMeasure(measure: Measure, value: number): string {
  return measure === 'cost' ? formatAmount(value) : formatCount(value)
}

/** On an axis: money with as many decimals as its steps need. */
export function formatMeasureTick(measure: Measure, value: number, step: number): string {
  if (measure !== 'cost') return formatCompact(value)
  const decimals = step >= MICRO / 100 ? 2 : Math.min(6, Math.ceil(Math.log10(MICRO / step)))
  return formatDecimal(value / MICRO, decimals)
}
