import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../chart.ts'

export const chart: Translated<typeof english.chart> = {
  sum: '合计',
  utcDay: 'UTC 日',
  soFar: '至今',
  todaySoFar: '今天至今',
  hourSoFar: '本小时至今',
  others: (count) => counted(count, { other: '其他 # 项' }),
}
