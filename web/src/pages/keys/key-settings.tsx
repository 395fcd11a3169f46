import type { ReactNode } from 'react'
import type { Key } from '../../api/routes.ts'
import { formatCount, formatMoney } from '../../format/number.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Card } from '../../parts/page.tsx'
import { useNow } from '../../parts/now.ts'
import { Ago, Instant } from '../../parts/time.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { keyDialogs } from '../../words/key-dialogs.ts'
import { keyPage as words } from '../../words/key-page.ts'
import { Ends, Models, Owner } from './key-row.tsx'
import { usePeople } from './use-people.ts'
import styles from './keys.module.css'

export function KeySettings({
  stored,
  onEdit,
}: {
  readonly stored: Key
  readonly onEdit: (() => void) | undefined
}) {
  const { nameOf } = usePeople()
  const now = useNow()
  const { requests_per_minute: perMinute, spending_limit: spending } = stored
  const { ignored_parameters: ignored } = stored
  const facts: readonly [string, ReactNode][] = [
    [words.project, stored.project.name],
    [words.owner, <Owner key="owner" id={stored.created_by} name={nameOf(stored.created_by)} />],
    [words.models, <Models key="models" models={stored.models} />],
    [words.ends, <Ends key="ends" stored={stored} now={now} />],
    [words.perMinute, perMinute === null ? words.noLimit : formatCount(perMinute)],
    [words.spending, spending === null ? words.noLimit : formatMoney(spending)],
    [
      words.ignored,
      ignored.length === 0 ? words.noneIgnored : <code key="ignored">{ignored.join(', ')}</code>,
    ],
    [words.created, <Instant key="created" time={stored.created_at} />],
    [
      words.lastUsed,
      stored.last_used_at === null ? (
        everywhere.never
      ) : (
        <Ago key="used" time={stored.last_used_at} />
      ),
    ],
  ]
  return (
    <Card
      title={words.settings}
      end={
        onEdit !== undefined && (
          <Button size="sm" onClick={onEdit}>
            {keyDialogs.edit}
          </Button>
        )
      }
    >
      <div className="card-body">
        <dl className="lines">
          {facts.map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd className="num">{value}</dd>
            </div>
          ))}
          <div className="rule">
            <dt>{words.id}</dt>
            <dd className={`num ${styles.keyId}`}>
              <Copy value={stored.id} what={words.id} />
            </dd>
          </div>
        </dl>
      </div>
    </Card>
  )
}
