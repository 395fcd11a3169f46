import { CONTACT } from '../../api/place.ts'
import type { LimitsNow } from '../../api/use-live-limits.ts'
import { formatCount } from '../../format/number.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { METERS } from '../../parts/meter.tsx'
import { Card } from '../../parts/page.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { limits as words } from '../../words/limits.ts'
import { meters } from '../../words/meters.ts'
import styles from './limits.module.css'

/** An email to the operator is filled in; a page of theirs is only opened. */
function addressOf(message: string): string {
  if (CONTACT.includes('://')) return CONTACT
  const [subject, body] = [words.subject, message].map(encodeURIComponent)
  return `mailto:${CONTACT}?subject=${subject}&body=${body}`
}

/** The figures that an operator needs, ready to be sent. */
export function AskForMore({ now, plan }: { readonly now: LimitsNow; readonly plan: string }) {
  const { slug } = useOrganization()
  if (!now.known) return null
  const lines = METERS.map((name) => {
    const { limit, remaining } = now.limits[name]
    return words.messageLine(
      meters.names[name],
      formatCount(Math.max(0, limit - remaining)),
      formatCount(limit),
    )
  })
  const message = [words.message(slug, plan), ...lines].join('\n')
  return (
    <Card title={words.more}>
      <div className="card-body">
        <p className="ink-3">{words.moreText}</p>
        <div className={`row wrap ${styles.ask}`}>
          {CONTACT !== '' && (
            <a className="btn sm" href={addressOf(message)} rel="noopener noreferrer">
              {words.contact}
            </a>
          )}
          <CopyButton value={message} what={words.figures} label={words.copy} />
        </div>
      </div>
    </Card>
  )
}
