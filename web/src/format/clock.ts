import { dateLocale } from './locale.ts'

export type Zone = 'local' | 'UTC'

const formats = new Map<string, Intl.DateTimeFormat>()

export function format(at: number, options: Intl.DateTimeFormatOptions, zone: Zone): string {
  const name = `${zone}${JSON.stringify(options)}`
  const made =
    formats.get(name) ??
    new Intl.DateTimeFormat(dateLocale(), {
      ...options,
      hourCycle: 'h23',
      ...(zone === 'UTC' && { timeZone: 'UTC' }),
    })
  formats.set(name, made)
  return made.format(at)
}

/** 13:04:31 CET */
export function formatClock(at: number, zone: Zone = 'local'): string {
  return format(
    at,
    { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
    zone,
  )
}
