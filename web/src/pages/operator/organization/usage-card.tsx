import { useMemo } from 'react'
import type { Usage } from '../../../api/routes.ts'
import { useApi } from '../../../api/use-api.ts'
import { formatAmount, formatCount } from '../../../format/number.ts'
import { BarChart } from '../../../parts/bar-chart.tsx'
import { bucketsBetween, unfinishedBar } from '../../../parts/chart-shape.ts'
import { Name } from '../../../parts/name.tsx'
import { Card } from '../../../parts/page.tsx'
import { Loaded, Skeleton } from '../../../parts/states.tsx'
import { TableWrap } from '../../../parts/table-wrap.tsx'
import { TableHead } from '../../../parts/table.tsx'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import styles from '../operator.module.css'

const HEIGHT = 160
const MODELS_SHOWN = 5

/** The last 30 UTC days of an organization: requests a day, and the models that cost the most. */
export function UsageCard({ organization }: { readonly organization: string }) {
  const usage = useApi('GET /operator/organizations/{organization}/usage', {
    path: { organization },
    query: { by: ['day', 'model'] },
  })
  return (
    <Card title={words.usage} meta={words.usageMeta}>
      <Loaded reading={usage} what={words.usage} skeleton={<Skeleton lines={9} />}>
        {(read) =>
          read.data.length === 0 ? (
            <p className="card-body ink-3">{words.noUsage}</p>
          ) : (
            <>
              <Days usage={read} />
              <TopModels usage={read} />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

function Days({ usage }: { readonly usage: Usage }) {
  const starts = useMemo(
    () => bucketsBetween(Date.parse(usage.from), Date.parse(usage.to), 'day'),
    [usage.from, usage.to],
  )
  const series = useMemo(() => {
    const counts = new Map<number, number>()
    for (const { day = '', requests } of usage.data) {
      const at = Date.parse(day)
      counts.set(at, (counts.get(at) ?? 0) + requests)
    }
    const values = starts.map((start) => counts.get(start) ?? 0)
    return [{ name: 'requests', label: words.requests, colour: 1, values } as const]
  }, [usage.data, starts])
  return (
    <div className={styles.usageDays}>
      <BarChart
        label={words.usageChart}
        starts={starts}
        unit="day"
        series={series}
        unfinished={unfinishedBar(starts, 'day', Date.now())}
        height={HEIGHT}
      />
    </div>
  )
}

type ModelSum = {
  readonly model: string
  readonly requests: number
  readonly tokens: number
  readonly cost: number
}

function sumModels({ data }: Usage): ModelSum[] {
  const sums = new Map<string, ModelSum>()
  for (const row of data) {
    const model = row.model ?? ''
    const before = sums.get(model)
    sums.set(model, {
      model,
      requests: (before?.requests ?? 0) + row.requests,
      tokens: (before?.tokens ?? 0) + row.prompt_tokens + row.completion_tokens,
      cost: (before?.cost ?? 0) + row.cost.amount_micro,
    })
  }
  return [...sums.values()].toSorted((a, b) => b.cost - a.cost || b.tokens - a.tokens)
}

function TopModels({ usage }: { readonly usage: Usage }) {
  const currency = usage.data[0]?.cost.currency ?? ''
  return (
    <TableWrap label={words.topModels}>
      <table className="table dense">
        <caption className="sr">{words.topModels}</caption>
        <TableHead
          columns={[
            { name: words.model },
            { name: words.requests, numeric: true },
            { name: words.tokens, numeric: true },
            { name: words.cost(currency), numeric: true },
          ]}
        />
        <tbody>
          {sumModels(usage)
            .slice(0, MODELS_SHOWN)
            .map(({ model, requests, tokens, cost }) => (
              <tr key={model}>
                <th scope="row">
                  <code>
                    <Name value={model} />
                  </code>
                </th>
                <td className="num">{formatCount(requests)}</td>
                <td className="num">{formatCount(tokens)}</td>
                <td className="num">{formatAmount(cost)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </TableWrap>
  )
}
