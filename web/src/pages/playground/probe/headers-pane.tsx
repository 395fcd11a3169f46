import { formatDuration } from '../../../format/time.ts'
import { CopyButton } from '../../../parts/copy.tsx'
import { Tag } from '../../../parts/tag.tsx'
import { playground } from '../../../words/playground.ts'
import type { Run } from '../stream/run.ts'
import styles from './probe.module.css'

const LIMITS = 'x-ratelimit-'
const OK = 200

const KINDS = ['limit', 'remaining', 'reset']
const WHATS = ['requests', 'tokens', 'requests-day', 'tokens-day']

/** `x-ratelimit-remaining-tokens-day`: first by what is limited, then limit, remaining, reset. */
function rankOf(name: string): number {
  const [kind = '', ...what] = name.slice(LIMITS.length).split('-')
  return WHATS.indexOf(what.join('-')) * KINDS.length + KINDS.indexOf(kind)
}

/** The headers of the answer that a page may read: request id, retention, limits. */
export function HeadersPane({ run: { status, headers, timing } }: { readonly run: Run }) {
  if (status === null) return <p className={`${styles.pane} ink-3`}>{playground.headers.none}</p>
  const words = playground.headers
  const limits = headers
    .filter(([name]) => name.startsWith(LIMITS))
    .toSorted(([one], [other]) => rankOf(one) - rankOf(other))
  const others = headers.filter(([name]) => !name.startsWith(LIMITS)).toReversed()
  const time = formatDuration(timing.headersAt)
  return (
    <div className={styles.pane}>
      <div className="row">
        <Tag tone={status === OK ? 'ok' : 'bad'}>{status}</Tag>
        <span className="ink-3 xs">
          {status === OK ? words.after(time) : words.afterError(time)}
        </span>
        <span className="push">
          <CopyButton
            what={words.what}
            value={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
          />
        </span>
      </div>
      {[others, limits].map((group, index) => (
        <dl key={index} className={styles.headers}>
          {group.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      ))}
    </div>
  )
}
