import { Link } from '@tanstack/react-router'
import { CircleAlert, Download } from 'lucide-react'
import { addressOf } from '../../api/call.ts'
import { HAS_PAYMENTS, SENDS_MAIL } from '../../api/place.ts'
import type { Balance } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { utcMonthsSince } from '../../format/month.ts'
import { formatUtcMonth } from '../../format/time.ts'
import { Card, Page } from '../../parts/page.tsx'
import { Loaded, Skeleton } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { useIsSuspended, useMayPay } from '../../shell/payments.ts'
import { billing as words } from '../../words/billing.ts'
import { Spent } from '../projects/spent.tsx'
import { useSpentByProject } from '../projects/use-spent.ts'
import { Alerts } from './alerts.tsx'
import { HowToAddMoney } from './how-to-add-money.tsx'
import { AddMoneyButton, Payments, ReturnedPayment } from './payments/payments.tsx'
import { BalanceFigures } from './balance-figures.tsx'
import { Contacts } from './contacts.tsx'
import { Credits, useCredits } from './credits.tsx'
import { RedeemVoucher } from './redeem-voucher.tsx'
import { Statements, useStatements } from './statements.tsx'
import { AutomaticTopUp, useTopUp } from './top-up/automatic-top-up.tsx'
import { Transfers } from './transfers.tsx'
import styles from './billing.module.css'

const EVERY_MS = 15_000
const PROJECTS_READ = 100
const MONTHS = 6

export function BillingPage() {
  const { path, may } = useOrganization()
  const reading = useApi('GET /organizations/{organization}/balance', { path }, { every: EVERY_MS })
  const mayPay = useMayPay()
  const isSuspended = useIsSuspended()
  const isPrepaid = reading.data?.billing === 'prepaid'
  const topUp = useTopUp()
  const credits = useCredits()
  const statements = useStatements()
  const isPlaced =
    [reading, credits, statements].every(isRead) && (!isPrepaid || topUp === null || isRead(topUp))
  return (
    <Page
      title={words.title}
      sub={reading.data && words.sub[reading.data.billing ?? 'unknown']}
      actions={
        isPrepaid && may('payments:write') && !isSuspended ? (
          <>
            <RedeemVoucher />
            {mayPay && <AddMoneyButton />}
          </>
        ) : undefined
      }
    >
      {isSuspended && <p className="hint">{words.suspended}</p>}
      {mayPay && <ReturnedPayment />}
      <Loaded reading={reading} what={words.balance} skeleton={<Skeleton lines={5} />}>
        {(balance) => (
          <div className="grid">
            <BillingState balance={balance} />
            <BalanceFigures balance={balance} />
            {balance.billing === 'prepaid' && <HowToAddMoney help={balance.funding_help} />}
            {balance.billing === 'prepaid' && <AutomaticTopUp />}
          </div>
        )}
      </Loaded>
      {/* It has one height when it is asked for and another when it is there, as what is above. */}
      <div className={`grid ${styles.below}`} hidden={!isPlaced}>
        <Credits />
        <Statements />
        {HAS_PAYMENTS && may('payments:read') && <Payments isPrepaid={isPrepaid} />}
        <Transfers />
        {SENDS_MAIL && may('alerts:read') && <Contacts />}
        <div className={may('alerts:read') ? 'grid two even' : 'grid'}>
          <ProjectLimits />
          {may('alerts:read') && <Alerts />}
        </div>
        <Exports />
      </div>
    </Page>
  )
}

function isRead({ data, error }: { readonly data?: unknown; readonly error: unknown }): boolean {
  return data !== undefined || error !== null
}

/** Why requests are refused, and what helps, unless a card says how to add money. */
function BillingState({ balance }: { readonly balance: Balance }) {
  const { billing, billing_state: state, funding_help: help } = balance
  if (state === 'ok') return null
  return (
    <div className="strip bad" role="alert">
      <CircleAlert size={16} aria-hidden />
      <span>
        <b>{words.states[state]}</b> {billing !== 'prepaid' && (help ?? words.states.askOperator)}
      </span>
    </div>
  )
}

function ProjectLimits() {
  const { path, slug } = useOrganization()
  const spentBy = useSpentByProject()
  const list = useList('GET /organizations/{organization}/projects', {
    path,
    query: { limit: PROJECTS_READ },
  })
  const limited = list.items?.filter(
    ({ archived_at: archived, spending_limit: limit }) => archived === null && limit !== null,
  )
  return (
    <Card
      title={words.limits}
      meta={words.limitsMeta(formatUtcMonth(Date.now()))}
      end={
        <Link className="quiet-link" to="/o/$slug/projects" params={{ slug }}>
          {words.toProjects}
        </Link>
      }
    >
      {limited === undefined && <p className="card-body reserved">{words.noLimits}</p>}
      {limited?.length === 0 && <p className="card-body ink-3">{words.noLimits}</p>}
      <ul className="entries">
        {limited?.map((project) => (
          <li key={project.id}>
            <Link
              className="row-link cut"
              to="/o/$slug/projects/$project"
              params={{ slug, project: project.id }}
            >
              {project.name}
            </Link>
            <Spent project={project} spent={spentBy && spentBy(project.id)} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** The bill's lines: every request of a month. */
function Exports() {
  const { path } = useOrganization()
  const created = useApi('GET /organizations/{organization}', { path }).data?.created_at
  const now = Date.now()
  const since = created === undefined ? now : Date.parse(created)
  const months = utcMonthsSince(now, since, MONTHS)
  return (
    <Card title={words.exports} meta={words.exportsText}>
      <ul className={styles.months}>
        {months.map(({ from, to }, back) => (
          <li key={from}>
            <a
              className="btn"
              download
              href={addressOf('GET /organizations/{organization}/usage/export', {
                path,
                query: { from, ...(back > 0 && { to }), format: 'csv' },
              })}
            >
              <Download size={16} aria-hidden /> {formatUtcMonth(from)}
              {back === 0 && <span className="ink-3">{words.soFar}</span>}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  )
}
