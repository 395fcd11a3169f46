import type { Money } from '../../api/routes.ts'
import { formatCount, formatMoney, UNKNOWN } from '../../format/number.ts'
import { formatInstant } from '../../format/time.ts'
import { audit as words } from '../../words/audit.ts'

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/

/** A value of an audit event as text. The log holds what was stored then, of any kind. */
export function showValue(value: unknown): string {
  if (value === null || value === undefined) return UNKNOWN
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (typeof value === 'number') return formatCount(value)
  if (typeof value === 'string') return TIME.test(value) ? formatInstant(value) : value
  if (Array.isArray(value))
    return value.length === 0 ? UNKNOWN : value.map((each) => showValue(each)).join(', ')
  return isMoney(value) ? formatMoney(value) : JSON.stringify(value)
}

function isMoney(value: object): value is Money {
  return 'amount_micro' in value && 'currency' in value
}

/** The cursor before an event: a page that begins after it begins with the event itself. */
export function cursorBefore(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
