import type { Usage } from '../../../api/routes.ts'
import { useApi } from '../../../api/use-api.ts'
import { formatAmount, formatCount } from '../../../format/number.ts'
import { Name } from '../../../parts/name.tsx'
import { Card } from '../../../parts/page.tsx'
import { RequestDays } from '../../../parts/request-days.tsx'
import { Loaded, Skeleton } from '../../../parts/states.tsx'
import { Table } from '../../../parts/table.tsx'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'

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
              <RequestDays usage={read} label={words.usageChart} requests={words.requests} />
              <TopModels usage={read} />
            </>
          )
        }
      </Loaded>
    </Card>
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
    <Table
      caption={words.topModels}
      className="dense"
      columns={[
        { name: words.model },
        { name: words.requests, numeric: true },
        { name: words.tokens, numeric: true },
        { name: words.cost(currency), numeric: true },
      ]}
    >
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
    </Table>
  )
}
