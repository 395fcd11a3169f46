import { formatAmount, formatCount, formatMoney, formatShare } from '../../format/number.ts'
import { usage as words } from '../../words/usage.ts'
import type { Sum } from './usage-rows.ts'
import styles from './usage.module.css'

/** The four figures one came for, as the API sums them. */
export function UsageStats({ total, days }: { readonly total: Sum; readonly days: number }) {
  const { cost, requests, failed } = total
  const perDay = { ...cost, amount_micro: Math.round(cost.amount_micro / days) }
  const failures =
    failed === null
      ? words.failedUnknown
      : words.failedShare(formatCount(failed), formatShare(failed, requests))
  const stats = [
    {
      name: words.measures.cost,
      value: cost.amount_micro,
      text: formatAmount(cost.amount_micro),
      unit: cost.currency,
      more: words.perDay(formatMoney(perDay)),
    },
    { name: words.measures.requests, value: requests, text: formatCount(requests), more: failures },
    {
      name: words.measures.input,
      value: total.prompt_tokens,
      text: formatCount(total.prompt_tokens),
      more: words.cachedShare(formatShare(total.cached_tokens, total.prompt_tokens)),
    },
    {
      name: words.measures.output,
      value: total.completion_tokens,
      text: formatCount(total.completion_tokens),
      more: words.reasoningShare(formatShare(total.reasoning_tokens, total.completion_tokens)),
    },
  ]
  return (
    <dl className={styles.stats} data-shows="stats">
      {stats.map(({ name, value, text, unit, more }) => (
        <div key={name}>
          <dt className="fig-label">{name}</dt>
          <dd className="fig" data-value={value}>
            {text} {unit !== undefined && <small>{unit}</small>}
          </dd>
          <dd className="xs ink-3 num">{more}</dd>
        </div>
      ))}
    </dl>
  )
}
