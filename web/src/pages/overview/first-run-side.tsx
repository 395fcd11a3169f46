import { useApi } from '../../api/use-api.ts'
import type { Overview, PlanModels } from '../../api/routes.ts'
import { formatAmount, formatCount, formatMoney } from '../../format/number.ts'
import { METERS } from '../../parts/meter.tsx'
import { Card } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { firstRun as words } from '../../words/first-run.ts'
import { meters } from '../../words/meters.ts'
import { overview as overviewWords } from '../../words/overview.ts'

/** What the organization may use, before it used anything. */
export function FirstRunSide() {
  const { path } = useOrganization()
  const overview = useApi('GET /organizations/{organization}/overview', { path })
  const models = useApi('GET /organizations/{organization}/models', { path })
  return (
    <div className="stack gap-4">
      <Loaded reading={overview} what={words.limits}>
        {(read) => <Limits overview={read} />}
      </Loaded>
      <Loaded reading={models} what={words.models}>
        {(read) => <Models models={read} />}
      </Loaded>
    </div>
  )
}

function Limits({ overview: { plan, balance } }: { readonly overview: Overview }) {
  const free = balance?.billing === 'prepaid' ? (balance.available ?? balance.balance) : null
  return (
    <Card title={words.limits} meta={words.plan(plan.name)}>
      <div className="card-body">
        <dl className="lines">
          {METERS.map((name) => (
            <div key={name}>
              <dt>{meters.names[name]}</dt>
              <dd className="num">{formatCount(plan.limits?.[name])}</dd>
            </div>
          ))}
          {free !== null && (
            <div className="rule">
              <dt>{words.free}</dt>
              <dd className="num">{formatMoney(free)}</dd>
            </div>
          )}
        </dl>
      </div>
    </Card>
  )
}

function Models({ models: { data } }: { readonly models: PlanModels }) {
  const currency = data.find(({ prices }) => prices !== null)?.prices?.input.currency
  return (
    <Card
      title={words.models}
      {...(currency !== undefined && { foot: words.perMillion(currency) })}
    >
      {data.length === 0 && <div className="card-body ink-3">{overviewWords.noModels}</div>}
      <ul className="list">
        {data.map(({ id, context_length: context, prices }) => (
          <li key={id}>
            <div>
              <code className="cut">{id}</code>
              <span className="num xs">
                {prices === null
                  ? words.freeOfCharge
                  : [prices.input, prices.cached_input, prices.output]
                      .map(({ amount_micro }) => formatAmount(amount_micro))
                      .join(' / ')}
              </span>
              <span className="why">{words.context(formatCount(context))}</span>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}
