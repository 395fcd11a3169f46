import type { Money } from '../api/routes.ts'
import { formatAmount, formatMoney, formatShare } from '../format/number.ts'

const WARN_FROM = 0.8

/** Amber from 80 %, red once nothing is left. */
function toneOf(share: number): 'warn' | 'bad' | '' {
  if (share >= 1) return 'bad'
  return share >= WARN_FROM ? 'warn' : ''
}

/** How much of a limit is spent, as a bar; its text is beside it. */
export function SpentBar({
  label,
  spent,
  limit,
}: {
  readonly label: string
  readonly spent: number
  readonly limit: Money
}) {
  const share = limit.amount_micro === 0 ? 1 : spent / limit.amount_micro
  const percent = formatShare(spent, limit.amount_micro)
  return (
    <div
      className={`gauge ${toneOf(share)}`.trim()}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={limit.amount_micro}
      aria-valuenow={Math.min(spent, limit.amount_micro)}
      aria-valuetext={`${formatAmount(spent)} / ${formatMoney(limit)}, ${percent}`}
    >
      <i style={{ width: `${Math.min(100, share * 100)}%` }} />
    </div>
  )
}
