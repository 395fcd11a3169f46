import { ApiError } from '../../contract/error.ts'
import { parseUtc } from '../../lib/parse-utc.ts'
import { DAY_MS } from '../../lib/time.ts'
import { UsageNotKept, type Period } from '../../store/ledger/kept-usage.ts'

type PeriodQuery = { readonly from?: string; readonly to?: string }

/** Default: today and the days before it. */
const DEFAULT_DAYS = 30

/** Reads a period in UTC; without an end it lasts until the end of today. */
export function readPeriod({ from, to }: PeriodQuery, daysMax: number): Period {
  const tomorrowMs = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS
  const toMs = readTime('to', to) ?? tomorrowMs
  const fromMs = readTime('from', from) ?? toMs - DEFAULT_DAYS * DAY_MS
  if (fromMs >= toMs) throw invalid('to', "'to' must be after 'from'.")
  if (toMs - fromMs > daysMax * DAY_MS)
    throw invalid('from', `The period must not be longer than ${daysMax} days.`)
  return { fromMs, toMs }
}

export function readTime(name: 'from' | 'to', text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = parseUtc(text)
  if (ms !== undefined) return ms
  throw invalid(name, `'${name}' must be a day (2026-05-01) or a time (2026-05-01T08:00Z) in UTC.`)
}

export function invalid(param: string, message: string): ApiError {
  return new ApiError('invalid_value', message, { param })
}

/** Sums and records are deleted after some time; part of a period would be misleading. */
export function sayWhatIsKept(error: unknown): never {
  if (error instanceof UsageNotKept)
    throw invalid(
      'from',
      `Usage of this kind is kept from ${error.keptFrom} on. Choose a later 'from'.`,
    )
  throw error
}
