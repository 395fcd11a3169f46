import { Link } from '@tanstack/react-router'
import { ChevronRight, CircleAlert, CircleCheck, CircleMinus, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { OperatorAccount, OperatorOverview } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatCount, UNKNOWN } from '../../format/number.ts'
import { formatSpan } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Loaded, Skeleton } from '../../parts/states.tsx'
import { useNow } from '../../parts/now.ts'
import { operator } from '../../words/operator.ts'
import { AdmitDialog } from './admit.tsx'
import { Checks } from './checks.tsx'
import { EngineTable } from './engines/engine-table.tsx'
import { FindRequest } from './find-request.tsx'
import { ProcessTable } from './process-table.tsx'
import { SetupCard } from './setup/setup-card.tsx'
import { TrafficCard } from './traffic-card.tsx'
import { WithoutOrganization } from './without-organization.tsx'
import styles from './operator.module.css'

const words = operator.overview
const EVERY_MS = 5000
const WAITING_SHOWN = 5

/** Where a problem is looked into. */
const PLACES = {
  usage_log_unreachable: null,
  usage_not_posted: null,
  usage_rejected: null,
  ledger_unbalanced: 'ledger',
  reconciliation_differs: 'ledger',
  process_unreachable: 'engines',
  configuration_differs: 'configuration',
  engine_unhealthy: 'engines',
  engine_incapable: 'engines',
} as const

/** These mean that requests fail or money is wrong; the others need a look. */
const GRAVE = new Set(['usage_log_unreachable', 'ledger_unbalanced', 'process_unreachable'])

export function OperatorOverviewPage() {
  const reading = useApi('GET /operator/overview', {}, { every: EVERY_MS })
  const facts = reading.data
  return (
    <Page
      title={words.title}
      sub={
        facts === undefined
          ? UNKNOWN
          : words.sub(
              facts.processes.total,
              words.organizations(facts.organizations.count, facts.organizations.more),
            )
      }
      actions={<FindRequest />}
    >
      <div className={styles.stacked}>
        <Loaded reading={reading} what={words.title} skeleton={<AttentionSkeleton />}>
          {(value) => <Attention facts={value} />}
        </Loaded>
        <TrafficCard facts={facts} readAt={reading.dataUpdatedAt} />
        <SetupCard />
        <EngineTable />
        <div className={`grid ${styles.three}`}>
          <Card title={words.checks} className="fill">
            {facts === undefined ? <Skeleton lines={6} /> : <Checks facts={facts} />}
          </Card>
          <WaitingCard facts={facts} />
          <Card
            title={words.processList}
            className={`fill ${styles.wideTable}`}
            foot={words.processesFoot}
          >
            <ProcessTable />
          </Card>
        </div>
      </div>
    </Page>
  )
}

function countOf({ count, more }: OperatorOverview['waiting']): string {
  return more ? words.moreThan(formatCount(count)) : formatCount(count)
}

/** What is wrong comes before every figure. */
function Attention({ facts }: { readonly facts: OperatorOverview }) {
  return (
    <>
      {facts.problems.map((problem) => (
        <Problem key={problem} problem={problem} />
      ))}
      {facts.problems.length === 0 && (
        <div className="strip" role="status">
          {facts.engines.known ? (
            <CircleCheck size={16} className="ok" aria-hidden />
          ) : (
            <CircleMinus size={16} aria-hidden />
          )}
          <span>{facts.engines.known ? words.allWell : words.enginesUnknown}</span>
        </div>
      )}
      <Figures facts={facts} />
    </>
  )
}

function Problem({ problem }: { readonly problem: OperatorOverview['problems'][number] }) {
  const { title, text } = operator.problems[problem]
  const place = PLACES[problem]
  const grave = GRAVE.has(problem)
  const Icon = grave ? CircleAlert : TriangleAlert
  return (
    <div className={grave ? 'strip bad' : 'strip warn'} role="status">
      <Icon size={16} aria-hidden />
      <span className="grow">
        <b>{title}</b> {text}
      </span>
      {place === 'engines' && (
        <Link className="btn sm" to="/operator/engines">
          {operator.showEngines}
        </Link>
      )}
      {place === 'configuration' && (
        <Link className="btn sm" to="/operator/configuration">
          {operator.showProcesses}
        </Link>
      )}
      {place === 'ledger' && (
        <Link className="btn sm" to="/operator/ledger" search={{ show: 'differing' }}>
          {operator.showLedger}
        </Link>
      )}
    </div>
  )
}

function Figures({ facts }: { readonly facts: OperatorOverview }) {
  const { usage, engines, processes, waiting } = facts
  const unreachable = processes.unreachable.length
  return (
    <section className="card" aria-label={words.now}>
      <dl className={`${styles.stats} ${styles.six}`}>
        <Figure label={words.running} note={words.runningNote}>
          {formatCount(usage?.running)}
        </Figure>
        <Figure
          label={words.slots}
          note={words.slotsNote(Math.max(0, processes.total - 1 - unreachable))}
        >
          {engines.known ? formatCount(engines.slots_in_use) : UNKNOWN}{' '}
          {engines.known && <small>{words.ofSlots(formatCount(engines.slots))}</small>}
        </Figure>
        <Figure label={words.lag} note={words.lagNote(formatCount(usage?.unposted))}>
          <Lag usage={usage} />
        </Figure>
        <Figure label={words.rejected} note={words.rejectedNote}>
          {formatCount(usage?.rejected)}
        </Figure>
        <Figure label={words.waiting} note={words.waitingNote}>
          {countOf(waiting)}
        </Figure>
        <Figure
          label={words.processes}
          note={unreachable === 0 ? words.allReachable : words.unreachable(unreachable)}
        >
          {formatCount(processes.total)}
        </Figure>
      </dl>
    </section>
  )
}

/** The strip and the figures before they are known. */
function AttentionSkeleton() {
  const labels = [
    words.running,
    words.slots,
    words.lag,
    words.rejected,
    words.waiting,
    words.processes,
  ]
  return (
    <>
      <div className="strip" data-shows="loading" />
      <section className="card" aria-label={words.now}>
        <dl className={`${styles.stats} ${styles.six}`}>
          {labels.map((label) => (
            <Figure key={label} label={label} note={'\u{A0}'}>
              {UNKNOWN}
            </Figure>
          ))}
        </dl>
      </section>
    </>
  )
}

function Figure({
  label,
  note,
  children,
}: {
  readonly label: string
  readonly note: string
  readonly children: React.ReactNode
}) {
  return (
    <div>
      <dt className="fig-label">{label}</dt>
      <dd className="fig">{children}</dd>
      <dd className="xs ink-3 num">{note}</dd>
    </div>
  )
}

function Lag({ usage }: { readonly usage: OperatorOverview['usage'] }) {
  const now = useNow()
  if (usage === null) return UNKNOWN
  if (usage.oldest_unposted_at === null) return formatSpan(0)
  return formatSpan(Math.max(0, now - Date.parse(usage.oldest_unposted_at)))
}

function WaitingCard({ facts }: { readonly facts: OperatorOverview | undefined }) {
  const waiting = facts?.waiting
  const query = { state: 'waiting', limit: WAITING_SHOWN } as const
  const list = useApi('GET /operator/accounts', { query }, { every: EVERY_MS * 2 })
  const [admitting, setAdmitting] = useState<OperatorAccount | null>(null)
  return (
    <Card
      title={words.waitingList}
      meta={words.waitingNote}
      className="fill"
      foot={words.admitFoot}
      end={
        waiting !== undefined &&
        waiting.count > 0 && (
          <Link className="quiet-link xs" to="/operator/waiting">
            {words.all(countOf(waiting))}
            <ChevronRight size={14} aria-hidden />
          </Link>
        )
      }
    >
      <Loaded reading={list} what={words.waitingList}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="card-body ink-3">{words.nobodyWaits}</p>
          ) : (
            <ul className="list">
              {data.map((account) => (
                <li key={account.id}>
                  <div className={styles.wait}>
                    <Link
                      className="cut"
                      to="/operator/accounts/$account"
                      params={{ account: account.id }}
                    >
                      {account.email}
                    </Link>
                    <Waited since={account.created_at} />
                    <Button
                      size="sm"
                      aria-label={operator.waiting.admitWho(account.email)}
                      onClick={() => setAdmitting(account)}
                    >
                      {operator.waiting.admit}
                    </Button>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <WithoutOrganization facts={facts?.without_organization} />
      {admitting !== null && (
        <AdmitDialog accounts={[admitting]} onClose={() => setAdmitting(null)} />
      )}
    </Card>
  )
}

function Waited({ since }: { readonly since: string }) {
  const now = useNow()
  return <span className="num xs ink-3">{formatSpan(Math.max(0, now - Date.parse(since)))}</span>
}
