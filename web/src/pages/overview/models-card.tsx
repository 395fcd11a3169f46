import { Link } from '@tanstack/react-router'
import type { Overview, PlanModel, Usage } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatAmount, formatCount, formatRate } from '../../format/number.ts'
import { formatDuration } from '../../format/time.ts'
import { Name } from '../../parts/name.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { Table } from '../../parts/table.tsx'
import { useNow } from '../../parts/now.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { overview as words } from '../../words/overview.ts'
import { ModelState } from '../models/model-state.tsx'
import { firstHour } from './hours-chart.tsx'
import styles from './overview.module.css'

const REFRESH_MS = 10_000
const HOUR_MS = 3_600_000
const HOURS = 24

type Speed = NonNullable<Overview['speed']>[number]

/** `overview` is read again and again, and so are the states in it. */
export function ModelsCard({ overview }: { readonly overview: Overview | undefined }) {
  const { path } = useOrganization()
  const now = useNow()
  const models = useApi('GET /organizations/{organization}/models', { path })
  const usage = useApi(
    'GET /organizations/{organization}/usage',
    { path, query: { from: new Date(firstHour(now)).toISOString(), by: ['hour', 'model'] } },
    { every: REFRESH_MS },
  ).data
  const currency = usage?.data[0]?.cost.currency ?? ''
  return (
    <Card title={words.models} meta={words.modelsMeta}>
      <Loaded reading={models} what={words.models}>
        {({ data }) =>
          data.length === 0 ? (
            <div className="card-body ink-3">{words.noModels}</div>
          ) : (
            <Table
              caption={words.models}
              className={`listed ${styles.models}`}
              columns={[
                { name: words.model },
                { name: words.state },
                { name: words.firstToken, numeric: true },
                { name: words.tokensPerSecond, numeric: true },
                { name: words.spark, className: 'only-wide spare' },
                { name: words.requests, numeric: true },
                { name: words.cost(currency), numeric: true },
              ]}
            >
              {data.map((model) => (
                <ModelRow
                  key={model.id}
                  model={model}
                  speed={overview?.speed?.find((each) => each.model === model.id)}
                  availability={
                    overview?.models.find(({ id }) => id === model.id)?.availability ??
                    model.availability
                  }
                  used={usage?.data.filter((each) => each.model === model.id)}
                  from={firstHour(now)}
                />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Card>
  )
}

function ModelRow({
  model,
  speed,
  availability,
  used,
  from,
}: {
  readonly model: PlanModel
  readonly speed: Speed | undefined
  readonly availability: PlanModel['availability']
  readonly used: Usage['data'] | undefined
  /** The beginning of the 24 hours. */
  readonly from: number
}) {
  const { slug } = useOrganization()
  const requests = used?.reduce((sum, row) => sum + row.requests, 0)
  const cost = used?.reduce((sum, row) => sum + row.cost.amount_micro, 0)
  return (
    <tr>
      <th scope="row">
        <Link to="/o/$slug/models" params={{ slug }} search={{ model: model.id }}>
          <code>
            <Name value={model.id} />
          </code>
        </Link>
      </th>
      <td className={styles.state}>
        <ModelState shutdown={model.shutdown_date} availability={availability} />
      </td>
      <td className={`num xs-n ${styles.first}`} data-label={words.firstToken}>
        {formatDuration(speed?.first_token_ms)}
      </td>
      <td className={`num xs-n ${styles.speed}`} data-label={words.tokensPerSecond}>
        {formatRate(speed?.tokens_per_second)}
      </td>
      <td className="only-wide spare">
        <Sparkline values={hourly(used ?? [], from)} label={words.sparkOf(model.id)} />
      </td>
      <td className={`num xs-n ${styles.requests}`} data-label={words.requests}>
        {formatCount(requests)}
      </td>
      <td className={`num xs-n ${styles.cost}`} data-label={words.cost('')}>
        {formatAmount(cost)}
      </td>
    </tr>
  )
}

/** Requests of each of the 24 hours. */
function hourly(rows: Usage['data'], from: number): number[] {
  const values = Array.from({ length: HOURS }, () => 0)
  for (const { hour = '', requests } of rows) {
    const at = (Date.parse(hour) - from) / HOUR_MS
    if (values[at] !== undefined) values[at] += requests
  }
  return values
}
