import { LifeBuoy } from 'lucide-react'
import { useState } from 'react'
import type { SupportAccess } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { useList, type List } from '../../api/use-list.ts'
import { formatInstant, formatSpan } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/page.tsx'
import { FaultNote } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Instant } from '../../parts/time.tsx'
import { say } from '../../parts/toast.tsx'
import { useMemberNames } from '../../shell/member-names.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { actionName } from '../../words/action-names.ts'
import { support as words } from '../../words/settings.ts'
import { GrantSupport } from './grant-support.tsx'
import { groupReads } from './group-reads.ts'
import styles from './settings.module.css'

const LIST = 'GET /organizations/{organization}/support-access'
const EVERY_MS = 30_000
/** A shorter visit is one look at a page. */
const SHORT_MS = 5_000

export function SupportPage() {
  const { path } = useOrganization()
  const list = useList(LIST, { path }, { every: EVERY_MS })
  const active = list.items?.find((access) => access.active)
  return (
    <>
      <div className={styles.lead}>
        <b>{words.lead}</b>
        <span>{words.leadText}</span>
      </div>
      {list.items !== undefined && <Now active={active} />}
      <div className="grid">
        <Reads />
        {list.items?.length !== 0 && <Granted list={list} />}
      </div>
    </>
  )
}

function Now({ active }: { readonly active: SupportAccess | undefined }) {
  const { path, may } = useOrganization()
  const [granting, setGranting] = useState(false)
  const end = useChange('DELETE /organizations/{organization}/support-access', [LIST])
  return (
    <>
      <div
        className={active === undefined ? `strip ${styles.now}` : `strip accent ${styles.now}`}
        role="status"
      >
        <LifeBuoy size={16} aria-hidden />
        <b className="grow">
          {active === undefined ? words.inactive : words.active(formatInstant(active.ends_at))}
        </b>
        {may('support-access:write') && (
          <>
            <Button size="sm" onClick={() => setGranting(true)}>
              {active === undefined ? words.grant : words.grantAgain}
            </Button>
            {active !== undefined && (
              <Button
                size="sm"
                look="danger-quiet"
                busy={end.isPending}
                title={words.endText}
                onClick={() => end.mutate({ path }, { onSuccess: () => say(words.ended) })}
              >
                {words.end}
              </Button>
            )}
          </>
        )}
      </div>
      {end.error !== null && <FaultNote fault={end.error} />}
      {granting && <GrantSupport onClose={() => setGranting(false)} />}
    </>
  )
}

/** One row for each visit. The audit log has an event for each read. */
function Reads() {
  const { path } = useOrganization()
  const { readColumns: columns } = words
  const list = useList(
    'GET /organizations/{organization}/audit-events',
    { path, query: { actor_kind: 'support' } },
    { every: EVERY_MS },
  )
  return (
    <Card title={words.reads}>
      <ListTable
        caption={words.reads}
        what={words.reads}
        className={styles.visits}
        columns={[{ name: columns.when }, { name: columns.who }, { name: columns.what }]}
        list={{ ...list, items: list.items && groupReads(list.items) }}
        empty={<p className="card-body ink-3">{words.noReads}</p>}
        row={({ id, from, to, who, actions }) => (
          <tr key={id}>
            <th scope="row">
              <Instant time={from} /> <Lasted milliseconds={Date.parse(to) - Date.parse(from)} />
            </th>
            <td>{who}</td>
            <td className="wrap">{actions.map(actionName).join(' · ')}</td>
          </tr>
        )}
      />
    </Card>
  )
}

function Lasted({ milliseconds }: { readonly milliseconds: number }) {
  if (milliseconds < SHORT_MS) return null
  return <span className="ink-3">{words.lasted(formatSpan(milliseconds))}</span>
}

function Granted({ list }: { readonly list: List<SupportAccess> }) {
  const nameOf = useMemberNames()
  const { columns } = words
  return (
    <Card title={words.history}>
      <ListTable
        caption={words.history}
        what={words.history}
        columns={[
          { name: columns.granted },
          { name: columns.by },
          { name: columns.until },
          { name: columns.reason },
          { name: columns.state },
        ]}
        list={list}
        empty={null}
        row={(access) => (
          <tr key={access.id}>
            <th scope="row">
              <Instant time={access.created_at} />
            </th>
            <td>{nameOf(access.granted_by) ?? words.former}</td>
            <td data-label={columns.until}>
              <Instant time={access.ended_at ?? access.ends_at} />
            </td>
            <td className="wrap">{access.reason ?? ''}</td>
            <td>
              <State access={access} />
            </td>
          </tr>
        )}
      />
    </Card>
  )
}

function State({ access }: { readonly access: SupportAccess }) {
  if (access.active) return <Tag tone="accent">{words.states.active}</Tag>
  return <Tag tone="line">{access.ended_at === null ? words.states.over : words.states.ended}</Tag>
}
