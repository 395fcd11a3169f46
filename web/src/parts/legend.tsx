import type { ReactNode } from 'react'
import type { ChartColour } from './chart-shape.ts'

export type LegendEntry = {
  readonly name: string
  readonly label: ReactNode
  readonly colour: ChartColour | 'hatched'
  /** Formatted. */
  readonly count?: string
}

/** The classes of the small square in a series' colour. */
export const SWATCHES: Readonly<Record<ChartColour | 'hatched', string>> = {
  1: 'swatch c1',
  2: 'swatch c2',
  3: 'swatch c3',
  4: 'swatch c4',
  5: 'swatch c5',
  6: 'swatch c6',
  fail: 'swatch cf',
  other: 'swatch co',
  hatched: 'swatch hatched',
}

/** What the colours of a chart mean, with the sums as text. */
export function Legend({ entries }: { readonly entries: readonly LegendEntry[] }) {
  return (
    <ul className="legend">
      {entries.map(({ name, label, colour, count }) => (
        <li key={name}>
          <i className={SWATCHES[colour]} aria-hidden />
          {label}
          {count !== undefined && <b className="num medium">{count}</b>}
        </li>
      ))}
    </ul>
  )
}
