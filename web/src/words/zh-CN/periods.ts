import type { Translated } from '../translated.ts'
import type * as english from '../periods.ts'

export const periods: Translated<typeof english.periods> = {
  '1h': '最近 1 小时',
  '24h': '最近 24 小时',
  '7d': '最近 7 天',
  '30d': '最近 30 天',
  '90d': '最近 90 天',
}

export const period: Translated<typeof english.period> = { name: '时间', any: '任意时间' }
