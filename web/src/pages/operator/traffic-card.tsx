import { useEffect, useState } from 'react'
import type { OperatorOverview } from '../../api/routes.ts'
import { formatCount, formatRate, UNKNOWN } from '../../format/number.ts'
import { Card } from '../../parts/page.tsx'
import { operator } from '../../words/operator.ts'
import { addReading, ratesOf, type Reading } from './traffic-rates.ts'
import styles from './operator.module.css'

const words = operator.traffic
const CODES_SHOWN = 5

/** What all processes do now: from what they have counted, read again and again. */
export function TrafficCard({
  facts,
  readAt,
}: {
  readonly facts: OperatorOverview | undefined
  readonly readAt: number
}) {
  const [readings, setReadings] = useState<readonly Reading[]>([])
  const traffic = facts?.traffic
  useEffect(() => {
    if (traffic !== undefined && traffic !== null)
      setReadings((before) => addReading(before, { at: readAt, traffic }))
  }, [traffic, readAt])
  const rates = traffic === null ? undefined : ratesOf(readings)
  return (
    <Card title={words.title} meta={words.meta}>
      <dl className={`${styles.stats} ${styles.traffic}`}>
        <div>
          <dt className="fig-label">{words.requests}</dt>
          <dd className="fig">{formatRate(rates?.requests)}</dd>
        </div>
        <div>
          <dt className="fig-label">{words.tokens}</dt>
          <dd className="fig">{formatRate(rates?.outputTokens)}</dd>
        </div>
        <div>
          <dt className="fig-label">{words.refusals}</dt>
          <dd>
            <Refusals rates={rates} />
          </dd>
        </div>
      </dl>
    </Card>
  )
}

function Refusals({ rates }: { readonly rates: ReturnType<typeof ratesOf> }) {
  if (rates === undefined) return <span className="fig">{UNKNOWN}</span>
  if (rates.refusals.length === 0) return <span className="ink-3">{words.none}</span>
  return (
    <ul className={styles.codes}>
      {rates.refusals.slice(0, CODES_SHOWN).map(({ code, count }) => (
        <li key={code}>
          <code>{code}</code> <span className="num medium">{formatCount(count)}</span>
        </li>
      ))}
    </ul>
  )
}
