import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../chart.ts'

export const chart: Translated<typeof english.chart> = {
  sum: 'Summe',
  utcDay: 'UTC-Tag',
  soFar: 'bisher',
  todaySoFar: 'Heute bisher',
  hourSoFar: 'Diese Stunde bisher',
  others: (count) => counted(count, { one: '# weiteres', other: '# weitere' }),
}
