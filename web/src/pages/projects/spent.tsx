import type { ListedProject } from '../../api/routes.ts'
import { formatAmount, formatMoney, UNKNOWN } from '../../format/number.ts'
import { SpentBar } from '../../parts/spent.tsx'
import { useCurrency } from '../../shell/currency.ts'
import { projects as words } from '../../words/projects.ts'
import styles from './projects.module.css'

/** What was spent, and, with a limit, how much of it. */
export function Spent({
  project: { name, spending_limit: limit },
  spent,
}: {
  readonly project: Pick<ListedProject, 'name' | 'spending_limit'>
  readonly spent: number | undefined
}) {
  const currency = useCurrency()
  if (spent === undefined) return UNKNOWN
  if (limit === null)
    return (
      <span className="num">
        {formatAmount(spent)} {currency}, <span className="ink-3">{words.noLimit}</span>
      </span>
    )
  return (
    <div className={styles.spentBar}>
      <span className="num">
        {formatAmount(spent)}{' '}
        <span className="ink-3">{words.ofLimitShort(formatMoney(limit))}</span>
      </span>
      <SpentBar label={name} spent={spent} limit={limit} />
    </div>
  )
}
