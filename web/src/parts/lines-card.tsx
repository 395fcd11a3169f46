import type { ReactNode } from 'react'
import { Card } from './page.tsx'

export type Line = readonly [name: string, value: ReactNode]

/** Facts as lines of a card: a name, and its value at the end of the line. */
export function LinesCard({
  title,
  end,
  lines,
}: {
  readonly title: string
  /** At the end of the heading. */
  readonly end?: ReactNode
  readonly lines: readonly Line[]
}) {
  return (
    <Card title={title} end={end}>
      <dl className="lines card-body">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
