import { Link } from '@tanstack/react-router'
import { Box, SquareTerminal } from 'lucide-react'
import type { PlanModel } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatAmount, formatCount } from '../../format/number.ts'
import { firstRequest } from '../../format/snippets.ts'
import { formatDate, formatSpan } from '../../format/time.ts'
import { Snippets } from '../../parts/code.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { useNow } from '../../parts/now.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { models as words } from '../../words/models.ts'
import { overview } from '../../words/overview.ts'
import styles from './models.module.css'

const SHUTDOWN_SHOWN_MS = 90 * 86_400_000

export function ModelsPage() {
  const { path, plan } = useOrganization()
  const models = useApi('GET /organizations/{organization}/models', { path })
  return (
    <Page title={words.title} sub={words.sub(models.data?.plan ?? plan)}>
      <Loaded reading={models} what={words.title}>
        {({ data }) =>
          data.length === 0 ? (
            <section className="card">
              <Empty icon={<Box size={20} aria-hidden />} title={words.empty}>
                {words.emptyText}
              </Empty>
            </section>
          ) : (
            <div className="grid">
              {data.map((model) => (
                <Model key={model.id} model={model} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}

function Model({ model }: { readonly model: PlanModel }) {
  const { slug, may } = useOrganization()
  return (
    <section className={`card ${styles.model}`} id={model.id} aria-label={model.id}>
      <div className="card-head">
        <h2>
          <Copy value={model.id} what={words.id} />
        </h2>
        <span className="meta">{words.ownedBy(model.owned_by)}</span>
        <Shutdown date={model.shutdown_date} />
        {may('playground:use') && (
          <Link
            className="btn sm push"
            to="/o/$slug/playground"
            params={{ slug }}
            search={{ model: model.id }}
          >
            <SquareTerminal size={14} aria-hidden /> {words.playground}
          </Link>
        )}
      </div>
      <div className={styles.modelBody}>
        <Facts model={model} />
        <Snippets label={words.language} snippets={firstRequest(model.id)} />
      </div>
    </section>
  )
}

/** From 90 days before on, as a countdown. */
function Shutdown({ date }: { readonly date: string | null }) {
  const now = useNow()
  if (date === null) return null
  const left = Date.parse(date) - now
  if (left > SHUTDOWN_SHOWN_MS) return null
  return (
    <span title={words.shutdown(formatDate(date, 'UTC'))}>
      <Tag tone={left <= 0 ? 'bad' : 'warn'}>
        {left <= 0 ? words.shutdown(formatDate(date, 'UTC')) : overview.endsIn(formatSpan(left))}
      </Tag>
    </span>
  )
}

function Facts({ model }: { readonly model: PlanModel }) {
  const { prices, reasoning_efforts: efforts, shutdown_date: date } = model
  const size = (tokens: number | null) =>
    tokens === null ? formatCount(null) : words.tokens(formatCount(tokens))
  return (
    <dl className="lines">
      <Line term={words.context}>{size(model.context_length)}</Line>
      <Line term={words.output}>{size(model.max_output_tokens)}</Line>
      <Line term={words.efforts}>
        {efforts.length === 0 ? words.noReasoning : efforts.join(', ')}
      </Line>
      {prices === null ? (
        <Line term={words.free} isRule>
          {null}
        </Line>
      ) : (
        <>
          <Line term={words.input} isRule>
            {formatAmount(prices.input.amount_micro)}
          </Line>
          <Line term={words.cached}>{formatAmount(prices.cached_input.amount_micro)}</Line>
          <Line term={words.outputPrice}>{formatAmount(prices.output.amount_micro)}</Line>
          <div>
            <dt className="ink-3 xs">{words.perMillion(prices.input.currency)}</dt>
            <dd />
          </div>
        </>
      )}
      {date !== null && (
        <div>
          <dt className="ink-3 xs">{words.shutdown(formatDate(date, 'UTC'))}</dt>
          <dd />
        </div>
      )}
    </dl>
  )
}

function Line({
  term,
  isRule = false,
  children,
}: {
  readonly term: string
  readonly isRule?: boolean
  readonly children: React.ReactNode
}) {
  return (
    <div className={isRule ? 'rule' : undefined}>
      <dt>{term}</dt>
      <dd className="num">{children}</dd>
    </div>
  )
}
