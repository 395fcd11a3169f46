import type { PlanModel } from '../../api/routes.ts'
import { formatDate, formatSpan } from '../../format/time.ts'
import { useNow } from '../../parts/now.ts'
import { Dot, Tag } from '../../parts/tag.tsx'
import { models as words } from '../../words/models.ts'
import styles from './models.module.css'

/** A shutdown is announced from this time before it on. */
const SHUTDOWN_SHOWN_MS = 90 * 86_400_000

const TONES = { available: 'ok', short: 'warn', unavailable: 'bad', unknown: 'off' } as const

/** Whether a model answers now, and when it retires if that is soon. */
export function ModelState({
  shutdown,
  availability: { state, since },
}: {
  readonly shutdown: string | null
  readonly availability: PlanModel['availability']
}) {
  const now = useNow()
  const left = shutdown === null ? Number.POSITIVE_INFINITY : Date.parse(shutdown) - now
  return (
    <span className={styles.states}>
      {left > 0 && (
        <span className={styles.oneState} title={words.stateTexts[state]}>
          <Dot tone={TONES[state]} />
          {since === null
            ? words.states[state]
            : words.unavailableFor(formatSpan(Math.max(0, now - Date.parse(since))))}
        </span>
      )}
      {left <= SHUTDOWN_SHOWN_MS && (
        <span title={words.shutdown(formatDate(shutdown ?? '', 'UTC'))}>
          <Tag tone={left <= 0 ? 'bad' : 'warn'}>
            {left <= 0
              ? words.shutdown(formatDate(shutdown ?? '', 'UTC'))
              : words.endsIn(formatSpan(left))}
          </Tag>
        </span>
      )}
    </span>
  )
}
