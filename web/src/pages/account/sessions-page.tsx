import { Monitor, Smartphone } from 'lucide-react'
import type { Session } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { UNKNOWN } from '../../format/number.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/page.tsx'
import { Empty, FaultNote } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Ago } from '../../parts/time.tsx'
import { say } from '../../parts/toast.tsx'
import { account } from '../../words/account.ts'
import { deviceOf } from './device.ts'
import styles from './account.module.css'

const words = account.sessions

const COLUMNS = [
  { name: words.columns.device },
  { name: words.columns.how },
  { name: words.columns.where, className: 'opt-1' },
  { name: words.columns.began },
  { name: words.columns.seen },
  { name: words.columns.actions, hidden: true },
]

export function SessionsPage() {
  const list = useList('GET /sessions', {})
  const endOne = useChange('DELETE /sessions/{session}', ['GET /sessions'])
  const endOthers = useChange('DELETE /sessions', ['GET /sessions'])
  const fault = endOne.error ?? endOthers.error
  const hasOthers = list.items?.some(({ current }) => !current) === true
  const end = (session: string) =>
    endOne.mutate({ path: { session } }, { onSuccess: () => say(words.ended) })
  return (
    <>
      {fault !== null && <FaultNote fault={fault} />}
      <Card
        title={account.tabs.sessions}
        end={
          hasOthers && (
            <Button
              size="sm"
              look="danger-quiet"
              title={words.endOthersText}
              busy={endOthers.isPending}
              onClick={() => endOthers.mutate({}, { onSuccess: () => say(words.endedOthers) })}
            >
              {words.endOthers}
            </Button>
          )
        }
        foot={words.text}
      >
        <ListTable
          caption={words.caption}
          what={words.what}
          columns={COLUMNS}
          list={list}
          empty={<Empty title={words.none} />}
          row={(session) => <Row key={session.id} session={session} onEnd={end} />}
        />
      </Card>
    </>
  )
}

function Row({
  session,
  onEnd,
}: {
  readonly session: Session
  readonly onEnd: (id: string) => void
}) {
  const device = deviceOf(session.user_agent)
  const name = device === undefined ? words.unknownDevice : words.on(device.browser, device.system)
  const Icon = device?.small === true ? Smartphone : Monitor
  return (
    <tr>
      <th scope="row" title={session.user_agent ?? undefined}>
        <span className={styles.device}>
          <Icon size={16} aria-hidden /> {name}
          {session.current && <Tag tone="accent">{words.current}</Tag>}
        </span>
      </th>
      <td>{session.methods.map(methodName).join(' + ')}</td>
      <td className="opt-1">{session.address_prefix ?? UNKNOWN}</td>
      <td data-label={words.columns.began}>
        <Ago time={session.created_at} />
      </td>
      <td data-label={words.columns.seen}>
        <Ago time={session.seen_at} />
      </td>
      <td className="num">
        {!session.current && (
          <Button size="sm" aria-label={words.endLabel(name)} onClick={() => onEnd(session.id)}>
            {words.end}
          </Button>
        )}
      </td>
    </tr>
  )
}

function methodName(method: string): string {
  const known: Readonly<Record<string, string>> = words.methods
  return known[method.startsWith('sso:') ? 'sso' : method] ?? method
}
