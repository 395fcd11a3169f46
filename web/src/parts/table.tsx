import type { ReactNode } from 'react'
import type { List } from '../api/use-list.ts'
import { TableWrap } from './table-wrap.tsx'
import { everywhere } from '../words/everywhere.ts'
import { Button } from './button.tsx'
import { formatCount } from '../format/number.ts'
import { FaultNote, OutageStrip, useTookLong } from './states.tsx'
import styles from './states.module.css'

export type Column = {
  readonly name: string
  /** The heading, if it is more than the name: a button that sorts. */
  readonly head?: ReactNode
  /** Whether the rows are in the order of this column, and which way. */
  readonly sorted?: 'ascending' | 'descending' | undefined
  readonly numeric?: boolean
  /** `opt`, `opt-1`, `opt-2`: leaves on narrow screens. `menu-col`: the actions of a row. */
  readonly className?: string | undefined
  /** Only for screen readers, as over a column of buttons. */
  readonly hidden?: boolean
}

/**
 * A list of the API as a table: loading, error, empty, rows, and a button for the next page. On
 * phones it becomes a list. The rows are `<tr>` with a `<th scope="row">` that holds the link.
 */
export function ListTable<Item>({
  caption,
  what,
  columns,
  list,
  row,
  empty,
  className = '',
}: {
  readonly caption: string
  readonly what: string
  readonly columns: readonly Column[]
  readonly list: List<Item>
  readonly row: (item: Item) => ReactNode
  readonly empty: ReactNode
  readonly className?: string | undefined
}) {
  const { items, error } = list
  if (items === undefined && error !== null)
    return <FaultNote what={what} fault={error} retry={list.retry} />
  if (items?.length === 0) return empty
  return (
    <>
      {error !== null && <OutageStrip fault={error} asOf={list.asOf} />}
      <Table
        caption={caption}
        columns={columns}
        className={`listed ${className}`.trim()}
        busy={items === undefined}
      >
        {items?.map(row) ?? <SkeletonRows columns={columns.length} />}
      </Table>
      {list.hasMore && (
        <div className="card-foot" data-shows="more">
          <Button size="sm" busy={list.isFetching} onClick={list.loadMore}>
            {everywhere.loadMore}
          </Button>
          {list.total !== undefined && list.total !== null && items !== undefined && (
            <span className="ink-3">
              {(list.total.more ? everywhere.shownOfMore : everywhere.shownOf)(
                formatCount(items.length),
                formatCount(list.total.count),
              )}
            </span>
          )}
        </div>
      )}
    </>
  )
}

/** A table with a caption for screen readers. Its children are rows. */
export function Table({
  caption,
  columns,
  className,
  busy,
  children,
}: {
  readonly caption: string
  readonly columns: readonly Column[]
  /** `dense`, `listed`, `labelled`, and classes of the page. */
  readonly className?: string | undefined
  readonly busy?: boolean
  readonly children: ReactNode
}) {
  return (
    <TableWrap label={caption}>
      <table className={className === undefined ? 'table' : `table ${className}`} aria-busy={busy}>
        <caption className="sr">{caption}</caption>
        <TableHead columns={columns} />
        <tbody>{children}</tbody>
      </table>
    </TableWrap>
  )
}

export function TableHead({ columns }: { readonly columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, head, sorted, numeric, className, hidden }) => (
          <th
            key={name}
            scope="col"
            aria-sort={sorted}
            className={
              [numeric === true ? 'num' : '', className ?? ''].join(' ').trim() || undefined
            }
          >
            {hidden === true ? <span className="sr">{name}</span> : (head ?? name)}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** Grey lines in the rows of a table: as many as most lists have. */
function SkeletonRows({ columns, rows = 3 }: { readonly columns: number; readonly rows?: number }) {
  const late = useTookLong()
  return Array.from({ length: rows }, (_row, row) => (
    <tr key={row} data-shows="loading" aria-hidden>
      {Array.from({ length: columns }, (_column, column) => (
        <td key={column}>
          <span
            className={styles.skel}
            data-late={late}
            style={{ width: `${80 - ((row + column) % 4) * 12}%` }}
          />
        </td>
      ))}
    </tr>
  ))
}
