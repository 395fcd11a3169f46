import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Balance, Money, Overview } from '../../api/routes.ts'
import { formatAmount, formatCount, formatMoney } from '../../format/number.ts'
import { formatUtcMonth } from '../../format/time.ts'
import { Card } from '../../parts/page.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { useIsSuspended, useMayPay } from '../../shell/payments.ts'
import { overview as words } from '../../words/overview.ts'
import styles from './overview.module.css'

type Props = { readonly overview: Overview; readonly running: number | null }

/** What may be spent, if that is limited; what was spent (postpaid), or what was used. */
export function BalanceCard({ overview, running }: Props) {
  const { slug, may } = useOrganization()
  const mayPay = useMayPay()
  const isSuspended = useIsSuspended()
  const { balance, usage } = overview
  const isPrepaid = balance?.billing === 'prepaid'
  const isBilled = balance !== null && (isPrepaid || balance.billing === 'postpaid')
  return (
    <Card
      className="fill"
      title={isBilled ? words.balance : words.usageToday}
      end={
        isBilled &&
        may('billing:read') && (
          <>
            {mayPay && isPrepaid && !isSuspended && (
              <Link
                className="quiet-link xs"
                to="/o/$slug/billing"
                params={{ slug }}
                search={{ add: '1' }}
              >
                {words.addMoney}
              </Link>
            )}
            <Link className="quiet-link xs" to="/o/$slug/billing" params={{ slug }}>
              {words.billing}
              <ChevronRight size={14} aria-hidden />
            </Link>
          </>
        )
      }
      foot={isBilled ? outlook(balance) : words.noBilling}
    >
      <div className="card-body">
        {isBilled ? (
          <Money balance={balance} overview={overview} running={running} />
        ) : (
          <Used usage={usage} />
        )}
      </div>
    </Card>
  )
}

function Money({ balance, overview, running }: Props & { readonly balance: Balance }) {
  const month = formatUtcMonth(Date.now())
  const isPrepaid = balance.billing === 'prepaid'
  const { credit_limit: limit, credit_used: used } = balance
  const held = formatMoney(balance.reserved)
  const isHeld = balance.reserved !== null && balance.reserved.amount_micro > 0
  const isUsed = used !== null && used.amount_micro > 0
  const today = overview.usage?.today.cost ?? null
  const bound =
    limit === null
      ? ([[words.onBalance, formatMoney(balance.balance)]] as const)
      : ([
          [words.creditLimit, formatMoney(limit)],
          [words.creditUsed, isUsed ? `−${formatMoney(used)}` : formatMoney(used)],
        ] as const)
  const isLimited = isPrepaid || limit !== null
  return (
    <>
      <Lead balance={balance} />
      <Lines
        lines={[
          ...(isLimited
            ? ([
                ...bound,
                [reservedBy(running), isHeld ? `−${held}` : held],
                [words.spentMonth(month), formatMoney(balance.spent_this_month)],
              ] as const)
            : []),
          [words.spentToday, formatMoney(today)],
        ]}
        ruleAt={isLimited ? bound.length + 1 : -1}
      />
    </>
  )
}

function Lead({ balance }: { readonly balance: Balance }) {
  if (balance.billing === 'prepaid')
    return <Figure label={words.free} money={balance.available ?? balance.balance} />
  if (balance.available !== null)
    return <Figure label={words.freeCredit} money={balance.available} />
  const month = formatUtcMonth(Date.now())
  return <Figure label={words.spentMonth(month)} money={balance.spent_this_month} />
}

function reservedBy(running: number | null): string {
  return running === null ? words.reserved : words.reservedBy(running)
}

function Used({ usage }: { readonly usage: Overview['usage'] }) {
  return (
    <>
      <div className="fig-label">{words.requests}</div>
      <div className="fig">{formatCount(usage?.today.requests)}</div>
      <Lines
        lines={[
          [words.usageMonth(formatUtcMonth(Date.now())), formatCount(usage?.this_month.requests)],
        ]}
        ruleAt={-1}
      />
    </>
  )
}

function Figure({ label, money }: { readonly label: string; readonly money: Money }) {
  return (
    <>
      <div className="fig-label">{label}</div>
      <div className="fig">
        {formatAmount(money.amount_micro)} <small>{money.currency}</small>
      </div>
    </>
  )
}

function Lines({
  lines,
  ruleAt,
}: {
  readonly lines: readonly (readonly [string, string])[]
  readonly ruleAt: number
}) {
  return (
    <dl className={`lines ${styles.afterFig}`}>
      {lines.map(([term, value], at) => (
        <div key={term} className={at === ruleAt ? 'rule' : undefined}>
          <dt>{term}</dt>
          <dd className="num">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const DAY_MS = 86_400_000

/** How long the balance lasts, or what the month will cost; from the rate of the last 7 days. */
function outlook(balance: Balance): ReactNode {
  const isUsedUp = balance.credit_limit !== null && (balance.available?.amount_micro ?? 1) <= 0
  if (balance.billing === 'postpaid' && balance.billing_state === 'ok' && !isUsedUp)
    return words.forecast(formatMoney(balance.forecast.month))
  const left = daysLeftInMonth(Date.now())
  const ahead = balance.forecast.month.amount_micro - balance.spent_this_month.amount_micro
  const available = balance.available ?? balance.balance
  if (balance.billing_state !== 'ok') return words.refused
  if (available.amount_micro <= 0) return words.nothingLeft
  if (ahead <= 0 || left <= 0) return words.nothingSpent
  const perDay = ahead / left
  return words.lasts(formatCount(Math.floor(available.amount_micro / perDay)))
}

function daysLeftInMonth(now: number): number {
  const date = new Date(now)
  const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  return (end - now) / DAY_MS
}
