import { format, type Zone } from './clock.ts'
import { dateLocale } from './locale.ts'
import { times } from '../words/times.ts'
import { formatCount, formatDecimal } from './number.ts'
import { UNKNOWN } from './unknown.ts'

// Instants are shown in the viewer's zone with its name; days are always UTC and say so.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

function readTime(time: string | null | undefined): number | null {
  return time === null || time === undefined ? null : Date.parse(time)
}

/** 15 Nov 2026, 13:04:31 CET */
export function formatInstant(time: string | number, zone: Zone = 'local'): string {
  return format(
    typeof time === 'number' ? time : Date.parse(time),
    {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'short',
    },
    zone,
  )
}

/** 15 Nov, 13:04:31: in lists whose heading names the zone. */
export function formatMoment(time: string): string {
  const day = { day: 'numeric', month: 'short' } as const
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  return format(Date.parse(time), { ...day, ...clock }, 'local')
}

/** 13:00 */
export function formatHour(at: number, zone: Zone): string {
  return format(at, { hour: '2-digit', minute: '2-digit' }, zone)
}

/** 3 Feb 2027, in the viewer's zone: for dates that people chose. */
export function formatDate(time: string | number, zone: Zone = 'local'): string {
  const at = typeof time === 'number' ? time : Date.parse(time)
  return format(at, { day: 'numeric', month: 'short', year: 'numeric' }, zone)
}

/** 15 Nov, a UTC day; a day of another zone only on an axis of that zone's hours. */
export function formatUtcDay(time: string | number, zone: Zone = 'UTC'): string {
  const at = typeof time === 'number' ? time : Date.parse(time)
  return format(at, { day: 'numeric', month: 'short' }, zone)
}

/** Wed, of a UTC day. */
export function formatUtcWeekday(at: number): string {
  return format(at, { weekday: 'short' }, 'UTC')
}

/** November 2026, a UTC month. */
export function formatUtcMonth(time: string | number): string {
  const at = typeof time === 'number' ? time : Date.parse(time)
  return format(at, { month: 'long', year: 'numeric' }, 'UTC')
}

export function zoneName(at: number = Date.now()): string {
  const parts = new Intl.DateTimeFormat(dateLocale(), { timeZoneName: 'short' }).formatToParts(at)
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? 'UTC'
}

/** "38 min ago". Exact instants belong into the title beside it. */
export function formatAgo(time: string | null | undefined, now: number = Date.now()): string {
  const at = readTime(time)
  if (at === null) return UNKNOWN
  return times.ago(formatSpan(Math.max(0, now - at)))
}

/** "9 days", "49 s": one unit, rounded down. */
export function formatSpan(milliseconds: number): string {
  const whole = (unit: number) => formatCount(Math.floor(milliseconds / unit))
  if (milliseconds < MINUTE) return times.seconds(whole(SECOND))
  if (milliseconds < HOUR) return times.minutes(whole(MINUTE))
  if (milliseconds < DAY) return times.hours(whole(HOUR))
  return times.days(Math.floor(milliseconds / DAY))
}

/** "340 ms", "2.02 s", "1 min 5 s": how long something took. */
export function formatDuration(milliseconds: number | null | undefined): string {
  if (milliseconds === null || milliseconds === undefined) return UNKNOWN
  if (milliseconds < SECOND) return times.milliseconds(formatCount(Math.round(milliseconds)))
  if (milliseconds < MINUTE) return times.seconds(formatDecimal(milliseconds / SECOND, 2))
  const minutes = Math.floor(milliseconds / MINUTE)
  const seconds = Math.round((milliseconds % MINUTE) / SECOND)
  return times.minutesAndSeconds(formatCount(minutes), formatCount(seconds))
}
