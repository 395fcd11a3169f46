import type { ReactNode } from 'react'
import type { Balance, Money } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatAmount, formatMoney, UNKNOWN } from '../../format/number.ts'
import { Card } from '../../parts/page.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { billing as words } from '../../words/billing.ts'
import { daysLeft } from './forecast.ts'
import styles from './billing.module.css'

const EVERY_MS = 15_000

/** What is left, if that is limited, and what the month costs. The forecast says that it is one. */
export function BalanceFigures({ balance }: { readonly balance: Balance }) {
  const now = Date.now()
  const days = daysLeft(balance, now)
  return (
    <Card>
      <dl className="figures big">
        {balance.billing === 'prepaid' && (
          <>
            <Figure label={words.free} money={balance.available} note={words.freeText}>
              {days !== null && (
                <p className={days < 7 ? 'warn' : undefined} title={words.lastsText}>
                  {words.lasts(days)}
                </p>
              )}
            </Figure>
            <Figure label={words.balance} money={balance.balance} note={words.postedText} />
            <Figure label={words.reserved} money={balance.reserved} note={<Running />} />
          </>
        )}
        {balance.credit_limit !== null && (
          <>
            <Figure label={words.free} money={balance.available} note={words.freeText} />
            <Figure
              label={words.creditLimit}
              money={balance.credit_limit}
              note={words.creditUsed(formatMoney(balance.credit_used))}
            />
            <Figure label={words.reserved} money={balance.reserved} note={<Running />} />
          </>
        )}
        <Figure label={words.month} money={balance.spent_this_month} />
        <Figure
          label={words.forecast}
          money={balance.forecast.month}
          note={words.forecastText(balance.forecast.from_days)}
          isGuess
        />
      </dl>
    </Card>
  )
}

function Figure({
  label,
  money,
  note,
  isGuess = false,
  children,
}: {
  readonly label: string
  readonly money: Money | null
  readonly note?: ReactNode
  /** Shown as less certain than what was posted. */
  readonly isGuess?: boolean
  readonly children?: ReactNode
}) {
  return (
    <div>
      <dt className="fig-label">{label}</dt>
      <dd className={isGuess ? `fig ${styles.guess}` : 'fig'}>
        {money === null ? (
          UNKNOWN
        ) : (
          <>
            {isGuess && '≈ '}
            {formatAmount(money.amount_micro)} <small>{money.currency}</small>
          </>
        )}
      </dd>
      <dd>
        {children}
        {note !== undefined && <p>{money === null ? words.notKnown : note}</p>}
      </dd>
    </div>
  )
}

/** How many requests hold what is reserved. */
function Running() {
  const { path } = useOrganization()
  const limits = useApi('GET /organizations/{organization}/limits', { path }, { every: EVERY_MS })
  const running = limits.data?.running
  // Its line is there from the beginning, so that nothing moves when it is known.
  return running === null || running === undefined ? '\u00a0' : words.reservedBy(running)
}
