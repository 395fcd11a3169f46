import { X } from 'lucide-react'
import { useApi } from '../../api/use-api.ts'
import { Filter } from '../../parts/filter.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { usage as words } from '../../words/usage.ts'
import { dayText, type Range } from './period.ts'
import type { Split } from './search.ts'
import { groupOf } from './usage-rows.ts'
import styles from './usage.module.css'

const FRESH_MS = 60_000

/** What was used in a period, by name. A set filter has its own button that removes it. */
export function UsedFilter({
  group,
  chosen,
  range,
  onChoose,
}: {
  readonly group: Split
  readonly chosen: string | undefined
  readonly range: Range
  readonly onChoose: (value: string | undefined) => void
}) {
  const { path } = useOrganization()
  const query = { from: dayText(range.from), to: dayText(range.to), by: [group] }
  const found = useApi(
    'GET /organizations/{organization}/usage',
    { path, query },
    { freshFor: FRESH_MS },
  )
  const options = (found.data?.data ?? [])
    .map((sum) => groupOf(sum, group, words))
    .filter(({ id }) => id !== '')
    .map(({ id, label }) => ({ value: id, label }))
  return (
    <span className={styles.setFilter}>
      <Filter label={words.filters[group]} options={options} chosen={chosen} onChoose={onChoose} />
      {chosen !== undefined && (
        <button
          type="button"
          className="iconbtn"
          aria-label={`${everywhere.remove} ${words.filters[group]}`}
          onClick={() => onChoose(undefined)}
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </span>
  )
}
