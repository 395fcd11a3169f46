import type { RequestMinute } from '../../api/routes.ts'
import { formatDuration } from '../../format/time.ts'
import { requestMinute as words } from '../../words/request-minute.ts'
import type { Explained } from './explain.ts'

/** Where most of a request's time went, and how that compares; figures between asterisks. */
export function slowestPartOf(
  { queued_ms: queued, first_token_ms: first, duration_ms: duration }: Timed,
  same: RequestMinute['same_model'],
): string {
  if (first === null || duration === null) return words.notTimed
  const parts = [
    ['queued', queued ?? 0],
    ['reading', first - (queued ?? 0)],
    ['answer', duration - first],
  ] as const
  const [name, time] = parts.reduce((most, part) => (part[1] > most[1] ? part : most))
  const sentence = words.most[name](formatDuration(time), formatDuration(duration))
  const median = same === null || same.requests < 2 ? null : same.duration_ms
  if (median === null) return sentence
  const compare = duration > median ? words.longer : words.shorter
  return `${sentence} ${compare(formatDuration(median))}`
}

type Timed = Pick<Explained, 'queued_ms' | 'first_token_ms' | 'duration_ms'>
