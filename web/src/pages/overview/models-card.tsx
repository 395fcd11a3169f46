import { Link } from '@tanstack/react-router'
import type { Overview, PlanModel, Usage } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatAmount, formatCount, formatDecimal } from '../../format/number.ts'
import { formatDuration, formatSpan } from '../../format/time.ts'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { TableHead } from '../../parts/table.tsx'
import { Dot, Tag } from '../../parts/tag.tsx'
import { useNow } from '../../parts/now.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { overview as words } from '../../words/overview.ts'
import { firstHour } from './hours-chart.tsx'
import styles from './overview.module.css'
import keysStyles from '../keys/keys.module.css'

const REFRESH_MS = 10_000
const HOUR_MS = 3_600_000
const HOURS = 24
/** A shutdown is announced from this time before it on. */
const SHUTDOWN_SHOWN_MS = 90 * 86_400_000

type Speed = NonNullable<Overview['speed']>[number]

export function ModelsCard({ speed }: { readonly speed: Overview['speed'] }) {
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
            <div className="table-wrap">
              <table className={`table listed ${styles.models}`}>
                <caption className="sr">{words.models}</caption>
                <TableHead
                  columns={[
                    { name: words.model },
                    { name: words.state },
                    { name: words.firstPiece, numeric: true },
                    { name: words.tokensPerSecond, numeric: true },
                    { name: words.spark, className: 'only-wide opt-1' },
                    { name: words.requests, numeric: true },
                    { name: words.cost(currency), numeric: true },
                  ]}
                />
                <tbody>
                  {data.map((model) => (
                    <ModelRow
                      key={model.id}
                      model={model}
                      speed={speed?.find((each) => each.model === model.id)}
                      used={usage?.data.filter((each) => each.model === model.id)}
                      from={firstHour(now)}
                      now={now}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Card>
  )
}

function ModelRow({
  model,
  speed,
  used,
  from,
  now,
}: {
  readonly model: PlanModel
  readonly speed: Speed | undefined
  readonly used: Usage['data'] | undefined
  /** The beginning of the 24 hours. */
  readonly from: number
  readonly now: number
}) {
  const { slug } = useOrganization()
  const requests = used?.reduce((sum, row) => sum + row.requests, 0)
  const cost = used?.reduce((sum, row) => sum + row.cost.amount_micro, 0)
  return (
    <tr>
      <th scope="row">
        <Link to="/o/$slug/models" params={{ slug }} hash={model.id}>
          <code>{model.id}</code>
        </Link>
      </th>
      <td className={styles.state}>
        <ModelState shutdown={model.shutdown_date} now={now} />
      </td>
      <td className={`num xs-n ${styles.first}`} data-label={words.firstPiece}>
        {formatDuration(speed?.first_piece_ms)}
      </td>
      <td className={`num xs-n ${styles.speed}`} data-label={words.tokensPerSecond}>
        {formatDecimal(speed?.tokens_per_second, 1)}
      </td>
      <td className="only-wide opt-1">
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

function ModelState({ shutdown, now }: { readonly shutdown: string | null; readonly now: number }) {
  const left = shutdown === null ? Number.POSITIVE_INFINITY : Date.parse(shutdown) - now
  if (left <= SHUTDOWN_SHOWN_MS)
    return (
      <Tag tone={left <= 0 ? 'bad' : 'warn'}>{words.endsIn(formatSpan(Math.max(0, left)))}</Tag>
    )
  return (
    <span className={keysStyles.owner}>
      <Dot tone="ok" />
      {words.available}
    </span>
  )
}
