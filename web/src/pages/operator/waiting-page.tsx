import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { OperatorAccount } from '../../api/routes.ts'
import { useList } from '../../api/use-list.ts'
import { Button } from '../../parts/button.tsx'
import { Name } from '../../parts/name.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { operatorIcons } from '../../shell/operator-icons.ts'
import { operator } from '../../words/operator.ts'
import { AdmitDialog, RefuseDialog } from './admit.tsx'
import { useMayChange } from './platform-role.ts'
import styles from './operator.module.css'

const words = operator.waiting
const EVERY_MS = 15_000
/** As many as one call admits. */
const PAGE = 100

export function WaitingListPage() {
  const list = useList(
    'GET /operator/accounts',
    { query: { state: 'waiting', limit: PAGE } },
    { every: EVERY_MS },
  )
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [admitting, setAdmitting] = useState<readonly OperatorAccount[]>([])
  const [refusing, setRefusing] = useState<OperatorAccount | null>(null)
  const mayChange = useMayChange()
  const shown = list.items ?? []
  const picked = shown.filter(({ id }) => chosen.has(id)).slice(0, PAGE)
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen)
    if (on) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  return (
    <Page
      title={words.title}
      sub={words.sub}
      actions={
        picked.length > 0 && (
          <Button look="primary" onClick={() => setAdmitting(picked)}>
            {words.admitMany(picked.length)}
          </Button>
        )
      }
    >
      <Card>
        <ListTable
          caption={words.caption}
          what={words.what}
          list={list}
          className={styles.waiting}
          columns={columnsOf(picked.length > 0 && picked.length === shown.length, (on) =>
            setChosen(new Set(on ? shown.slice(0, PAGE).map(({ id }) => id) : [])),
          )}
          empty={
            <Empty icon={<operatorIcons.waiting size={24} aria-hidden />} title={words.empty}>
              {words.emptyText}
            </Empty>
          }
          row={(account) => (
            <Row
              key={account.id}
              account={account}
              chosen={chosen.has(account.id)}
              onChoose={(on) => choose(account.id, on)}
              onAdmit={() => setAdmitting([account])}
              onRefuse={mayChange ? () => setRefusing(account) : undefined}
            />
          )}
        />
      </Card>
      {admitting.length > 0 && (
        <AdmitDialog
          accounts={admitting}
          onClose={() => setAdmitting([])}
          onDone={() => setChosen(new Set())}
        />
      )}
      {refusing !== null && <RefuseDialog account={refusing} onClose={() => setRefusing(null)} />}
    </Page>
  )
}

function columnsOf(all: boolean, onAll: (on: boolean) => void) {
  return [
    {
      name: words.choose,
      className: styles.pick,
      head: <Pick label={words.chooseAll} checked={all} onChange={onAll} />,
    },
    { name: words.address },
    { name: words.domain, className: 'opt-2' },
    { name: words.since },
    { name: words.verified },
    { name: words.actions, hidden: true },
  ]
}

function Pick({
  label,
  checked,
  onChange,
}: {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (on: boolean) => void
}) {
  return (
    <span className="choice">
      <input
        type="checkbox"
        aria-label={label}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </span>
  )
}

function Row({
  account,
  chosen,
  onChoose,
  onAdmit,
  onRefuse,
}: {
  readonly account: OperatorAccount
  readonly chosen: boolean
  readonly onChoose: (on: boolean) => void
  readonly onAdmit: () => void
  readonly onRefuse: (() => void) | undefined
}) {
  const { email } = account
  return (
    <tr>
      <td className={styles.pick}>
        <Pick label={words.chooseOne(email)} checked={chosen} onChange={onChoose} />
      </td>
      <th scope="row">
        <Link to="/operator/accounts/$account" params={{ account: account.id }}>
          <Name value={email} />
        </Link>
        {account.waiting_note !== null && (
          <p className={`ink-3 xs ${styles.waitingNote}`}>{account.waiting_note}</p>
        )}
      </th>
      <td className="ink-3 opt opt-2">
        <Name value={email.slice(email.lastIndexOf('@') + 1)} />
      </td>
      <td className="xs-n">
        <Ago time={account.created_at} />
      </td>
      <td className="ink-3 opt">{account.email_verified ? words.isVerified : words.notVerified}</td>
      <td>
        <span className={`row ${styles.rowActions}`}>
          {onRefuse !== undefined && (
            <Button size="sm" look="ghost" aria-label={words.refuseWho(email)} onClick={onRefuse}>
              {words.refuse}
            </Button>
          )}
          <Button size="sm" aria-label={words.admitWho(email)} onClick={onAdmit}>
            {words.admit}
          </Button>
        </span>
      </td>
    </tr>
  )
}
