import type { ReactNode } from 'react'
import type { ChartColour } from './chart-shape.ts'

export type LegendEntry = {
  readonly name: string
  readonly label: ReactNode
  readonly colour: ChartColour | 'hatched'
  /** Formatted. */
  readonly count?: string
}

/** The class of the small square in a series' colour. */
export function swatchOf(colour: ChartColour | 'hatched'): string {
  if (colour === 'hatched') return 'swatch hatched'
  return `swatch c${colour === 'fail' ? 'f' : colour === 'other' ? 'o' : colour}`
}

/** What the colours of a chart mean, with the sums as text. */
export function Legend({ entries }: { readonly entries: readonly LegendEntry[] }) {
  return (
    <ul className="legend">
      {entries.map(({ name, label, colour, count }) => (
        <li key={name}>
          <i className={swatchOf(colour)} aria-hidden />
          {label}
          {count !== undefined && <b className="num medium">{count}</b>}
        </li>
      ))}
    </ul>
  )
}
