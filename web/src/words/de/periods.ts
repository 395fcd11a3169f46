import type { Translated } from '../translated.ts'
import type * as english from '../periods.ts'

export const periods: Translated<typeof english.periods> = {
  '1h': 'Letzte Stunde',
  '24h': 'Letzte 24 Stunden',
  '7d': 'Letzte 7 Tage',
  '30d': 'Letzte 30 Tage',
  '90d': 'Letzte 90 Tage',
}

export const period: Translated<typeof english.period> = { name: 'Zeit', any: 'beliebig' }
