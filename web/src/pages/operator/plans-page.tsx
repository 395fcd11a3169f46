import type { Plan } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatAmount, formatCount } from '../../format/number.ts'
import { Copy } from '../../parts/copy.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { operatorOrganizations } from '../../words/operator-organizations.ts'
import { operatorService } from '../../words/operator-service.ts'
import { LIMITS } from './organization/update-of.ts'
import styles from './operator.module.css'

const words = operatorService.plans
const { limitNames, billings } = operatorOrganizations

export function PlansPage() {
  const reading = useApi('GET /operator/plans', {})
  return (
    <Page title={words.title} sub={words.sub}>
      <Loaded reading={reading} what={words.what}>
        {({ data }) => (
          <div className={styles.stacked}>
            {data.map((plan) => (
              <PlanCard key={plan.name} plan={plan} />
            ))}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

function PlanCard({ plan }: { readonly plan: Plan }) {
  const accepted = plan.credentials.map(
    (kind) => words.credentialNames[kind as keyof typeof words.credentialNames] ?? kind,
  )
  return (
    <Card
      title={plan.name}
      meta={`${words.billing}: ${billings[plan.billing as keyof typeof billings] ?? plan.billing}`}
      end={plan.default && <Tag tone="accent">{words.standard}</Tag>}
      foot={`${words.credentials}: ${accepted.join(', ')}`}
    >
      <dl className={`${styles.factGrid} card-body`}>
        {LIMITS.map((limit) => (
          <div key={limit}>
            <dt>{limitNames[limit]}</dt>
            <dd className="num">{formatCount(plan.limits[limit])}</dd>
          </div>
        ))}
      </dl>
      <Models plan={plan} />
    </Card>
  )
}

const COLUMNS = [
  { name: words.model },
  { name: words.input, numeric: true },
  { name: words.cached, numeric: true, className: 'opt-2' },
  { name: words.output, numeric: true },
]

/** A plan without prices lists its models only. */
function Models({ plan }: { readonly plan: Plan }) {
  const currency = Object.values(plan.prices)[0]?.input.currency
  if (plan.models.length === 0) return <p className="card-body ink-3">{words.noModels}</p>
  const columns =
    currency === undefined
      ? [{ name: words.model }]
      : COLUMNS.map((column) =>
          column.numeric === true
            ? { ...column, name: words.perMillion(column.name, currency) }
            : column,
        )
  return (
    <Table caption={words.caption(plan.name)} className="dense listed" columns={columns}>
      {plan.models.map((model) => (
        <tr key={model}>
          <th scope="row">
            <Copy value={model} what={words.model} />
          </th>
          {currency !== undefined && <Prices price={plan.prices[model]} />}
        </tr>
      ))}
    </Table>
  )
}

function Prices({ price }: { readonly price: Plan['prices'][string] | undefined }) {
  return (
    <>
      <td className="num" data-label={words.input}>
        {formatAmount(price?.input.amount_micro)}
      </td>
      <td className="num opt opt-2">{formatAmount(price?.cached_input.amount_micro)}</td>
      <td className="num" data-label={words.output}>
        {formatAmount(price?.output.amount_micro)}
      </td>
    </>
  )
}
