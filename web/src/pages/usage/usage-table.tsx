import { ArrowDown, ArrowUp } from 'lucide-react'
import { useState } from 'react'
import { formatAmount, formatCount } from '../../format/number.ts'
import { Button } from '../../parts/button.tsx'
import { unfinishedBar } from '../../parts/chart-shape.ts'
import { TableWrap } from '../../parts/table-wrap.tsx'
import type { SearchChange } from '../../shell/search.ts'
import { usage as words } from '../../words/usage.ts'
import { daysIn } from './period.ts'
import { MEASURES, type SortedBy, type UsageSearch } from './search.ts'
import { useSeries, type Shown } from './usage-chart.tsx'
import { figuresOf, sortRows, type Figures, type Row, type Sum } from './usage-rows.ts'
import { RowHead } from './usage-row-head.tsx'
import styles from './usage.module.css'

type Props = {
  readonly rows: readonly Row[]
  /** The sums by hour or day and colour, if the table has a row for each of these. */
  readonly bands: readonly Sum[]
  readonly total: Sum
  readonly search: UsageSearch
  readonly shown: Shown
  /** The bar under the pointer. */
  readonly lit: number | null
  readonly choose: (change: SearchChange<UsageSearch>) => void
}

/** More rows than this are shown when asked for. */
const ROWS_SHOWN = 200
const COLUMNS: readonly SortedBy[] = [
  'requests',
  'failed',
  'input',
  'cached',
  'output',
  'reasoning',
]

/** The figures of the chart as text, with their sum first as the API gives it. */
export function UsageTable(props: Props) {
  const { rows, bands, total, search, shown, lit, choose } = props
  const { by = 'day', measure = 'cost' } = search
  const timely = by === 'day' || by === 'hour'
  const sort = search.sort ?? (timely ? 'name' : measure)
  const up = search.order === 'up'
  const { series, starts } = useSeries(bands, shown)
  const split = series.length > 1 ? series : []
  const [all, setAll] = useState(false)
  const sorted = sortRows(rows, sort, up)
  const visible = all ? sorted : sorted.slice(0, ROWS_SHOWN)
  const open = unfinishedBar(starts, shown.unit, shown.now)
  return (
    <section className="card">
      <TableWrap label={words.caption(words.groups[by])}>
        <table className={`table dense ${styles.usage}`} data-shows="usage">
          <caption className="sr">{words.caption(words.groups[by])}</caption>
          <Head {...props} split={split} sort={sort} up={up} choose={choose} />
          <tbody>
            <tr className="sum" data-row="sum">
              <th scope="row">{words.sum(daysIn(shown.range))}</th>
              <Cells
                figures={figuresOf(total)}
                parts={split.map(({ values }) => values.reduce((sum, value) => sum + value, 0))}
                measure={measure}
              />
            </tr>
            {visible.map((row) => {
              const bar = row.start === null ? -1 : starts.indexOf(row.start)
              return (
                <tr
                  key={row.id}
                  data-row={row.id}
                  className={lit !== null && bar === lit ? 'is-hover' : undefined}
                >
                  <RowHead row={row} search={search} open={bar !== -1 && bar === open} />
                  <Cells
                    figures={row.figures}
                    parts={split.map(({ values }) => values[bar] ?? 0)}
                    measure={measure}
                  />
                </tr>
              )
            })}
          </tbody>
        </table>
      </TableWrap>
      {visible.length < rows.length && (
        <div className="card-foot row">
          <span className="ink-3">
            {words.moreThanShown(formatCount(visible.length), formatCount(rows.length))}
          </span>
          <Button size="sm" onClick={() => setAll(true)}>
            {words.showAll(formatCount(rows.length))}
          </Button>
        </div>
      )}
    </section>
  )
}

function Head({
  search,
  shown,
  split,
  sort,
  up,
  choose,
}: Props & {
  readonly split: readonly { readonly name: string; readonly label: string }[]
  readonly sort: SortedBy
  readonly up: boolean
}) {
  const { by = 'day', measure = 'cost' } = search
  const column = (name: SortedBy, label: string, className = '') => (
    <SortHead
      key={name}
      name={name}
      label={label}
      className={className}
      sort={sort}
      up={up}
      choose={choose}
    />
  )
  const labels = {
    ...words.short,
    failed: words.failed,
    cost: words.short.cost(shown.currency),
    name: '',
  }
  return (
    <thead>
      {split.length > 0 && shown.split !== undefined && (
        <tr className={styles.bands}>
          <td colSpan={COLUMNS.length + 1} />
          <th scope="colgroup" colSpan={split.length}>
            {words.bandTitle(words.measures[measure], words.groups[shown.split])}
          </th>
          <td />
        </tr>
      )}
      <tr>
        {column('name', words.rows[by])}
        {COLUMNS.map((name) => column(name, labels[name], name === 'requests' ? 'num' : 'num opt'))}
        {split.map(({ name, label }, at) => (
          <th
            key={name}
            scope="col"
            className={at === 0 ? `num opt ${styles.bandStart}` : 'num opt'}
            title={label}
          >
            <span className={styles.bandName} data-shows="band">
              {label}
            </span>
          </th>
        ))}
        {column('cost', labels.cost, 'num')}
      </tr>
    </thead>
  )
}

function SortHead({
  name,
  label,
  className,
  sort,
  up,
  choose,
}: {
  readonly name: SortedBy
  readonly label: string
  readonly className: string
  readonly sort: SortedBy
  readonly up: boolean
  readonly choose: Props['choose']
}) {
  const sorted = sort === name
  const Arrow = up ? ArrowUp : ArrowDown
  return (
    <th
      scope="col"
      className={className}
      aria-sort={sorted ? (up ? 'ascending' : 'descending') : undefined}
    >
      <button
        type="button"
        className={sorted ? 'sort is-sorted' : 'sort'}
        onClick={() => choose({ sort: name, order: sorted && !up ? 'up' : 'down' })}
      >
        {label}
        {sorted && <Arrow size={12} aria-hidden />}
      </button>
    </th>
  )
}

function Cells({
  figures,
  parts,
  measure,
}: {
  readonly figures: Figures
  readonly parts: readonly number[]
  readonly measure: (typeof MEASURES)[number]
}) {
  return (
    <>
      {COLUMNS.map((name) => {
        const value = name === 'name' ? null : figures[name]
        return (
          <td
            key={name}
            className={name === 'requests' ? 'num' : 'num opt'}
            data-measure={name}
            data-value={value ?? ''}
          >
            {formatCount(value)}
          </td>
        )
      })}
      {parts.map((value, at) => (
        <td
          key={at}
          className={at === 0 ? `num opt ${styles.bandStart}` : 'num opt'}
          data-part={at}
          data-value={value}
        >
          {measure === 'cost' ? formatAmount(value) : formatCount(value)}
        </td>
      ))}
      <td
        className="num medium"
        data-measure="cost"
        data-value={figures.cost}
        title={formatAmount(figures.cost, 6)}
      >
        {formatAmount(figures.cost)}
      </td>
    </>
  )
}
