import type { LimitsNow } from '../../api/use-live-limits.ts'
import { formatCount } from '../../format/number.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { METERS } from '../../parts/meter.tsx'
import { Card } from '../../parts/page.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { limits as words } from '../../words/limits.ts'
import { meters } from '../../words/meters.ts'
import styles from './limits.module.css'

/** The figures that an operator needs, ready to be sent. */
export function AskForMore({
  now,
  plan,
  help,
}: {
  readonly now: LimitsNow
  readonly plan: string
  /** How to reach the operator, where they said it. */
  readonly help: string | null
}) {
  const { slug } = useOrganization()
  if (!now.known) return null
  const lines = METERS.map((name) => {
    const { limit, remaining } = now.limits[name]
    return words.letterLine(
      meters.names[name],
      formatCount(Math.max(0, limit - remaining)),
      formatCount(limit),
    )
  })
  const letter = [words.letter(slug, plan), ...lines].join('\n')
  return (
    <Card title={words.more}>
      <div className="card-body">
        <p className="ink-3">{words.moreText}</p>
        {help !== null && <p>{help}</p>}
        <div className={styles.ask}>
          <CopyButton value={letter} what={words.figures} label={words.copy} />
        </div>
      </div>
    </Card>
  )
}
