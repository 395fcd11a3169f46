import { ArrowDown, ArrowUp } from 'lucide-react'
import type { Column } from './table.tsx'

export type Order = 'asc' | 'desc'

/** By what a list is sorted, which the address says. */
export type Sorting<Sort extends string> = {
  readonly sort: Sort | undefined
  readonly order: Order | undefined
  readonly onSort: (sort: Sort, order: Order) => void
}

/** A column whose heading sorts the list in the database; pressed again it turns the order. */
export function sortColumn<Sort extends string>(
  column: Column,
  {
    by,
    first,
    sort,
    order = 'desc',
    onSort,
  }: Sorting<Sort> & {
    readonly by: Sort
    /** The order that people want first: names from A on, the latest use. */
    readonly first: Order
  },
): Column {
  const isSorted = sort === by
  const Arrow = order === 'asc' ? ArrowUp : ArrowDown
  const turned = order === 'asc' ? 'desc' : 'asc'
  return {
    ...column,
    sorted: isSorted ? (order === 'asc' ? 'ascending' : 'descending') : undefined,
    head: (
      <button
        type="button"
        className={isSorted ? 'sort is-sorted' : 'sort'}
        onClick={() => onSort(by, isSorted ? turned : first)}
      >
        {column.name}
        {isSorted && <Arrow size={12} aria-hidden />}
      </button>
    ),
  }
}
