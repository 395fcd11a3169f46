import { formatAgo, formatInstant } from '../format/time.ts'
import { UNKNOWN } from '../format/unknown.ts'
import { useNow } from './now.ts'

/** "38 min ago", with the exact instant as its title. */
export function Ago({ time }: { readonly time: string | null }) {
  const at = useNow()
  if (time === null) return UNKNOWN
  return (
    <time dateTime={time} title={formatInstant(time)}>
      {formatAgo(time, at)}
    </time>
  )
}

/** An instant in the viewer's zone, with the zone's name. */
export function Instant({ time }: { readonly time: string | null }) {
  if (time === null) return UNKNOWN
  return (
    <time dateTime={time} title={formatInstant(time, 'UTC')}>
      {formatInstant(time)}
    </time>
  )
}
