import { useMemo } from 'react'
import { periods } from '../words/periods.ts'

const HOUR_MS = 3_600_000
const HOURS = { '1h': 1, '24h': 24, '7d': 168, '30d': 720, '90d': 2160 } as const

export type Period = keyof typeof HOURS
export const PERIODS = Object.keys(HOURS) as Period[]

/** What a filter by time offers. */
export const PERIOD_OPTIONS = PERIODS.map((value) => ({ value, label: periods[value] }))

/** When a period began. Fixed for the choice: a time that moves would read the list again. */
export function usePeriodStart(period: Period | undefined): string | undefined {
  return useMemo(
    () =>
      period === undefined
        ? undefined
        : new Date(Date.now() - HOURS[period] * HOUR_MS).toISOString(),
    [period],
  )
}
