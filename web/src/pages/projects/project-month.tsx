import { Link } from '@tanstack/react-router'
import type { Money, Project } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { utcMonth } from '../../format/month.ts'
import { formatAmount, formatCount, formatMoney } from '../../format/number.ts'
import { formatUtcMonth } from '../../format/time.ts'
import { Card } from '../../parts/page.tsx'
import { SpentBar } from '../../parts/spent.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { project as words, projects } from '../../words/projects.ts'

const EVERY_MS = 30_000

/** What the project used in this UTC month, and how much of its limit that is. */
export function ProjectMonth({ project }: { readonly project: Project }) {
  const { path, slug } = useOrganization()
  const { from } = utcMonth(Date.now())
  const usage = useApi(
    'GET /organizations/{organization}/usage',
    { path, query: { from, project: project.id } },
    { every: EVERY_MS },
  )
  // An archived project spends nothing any more.
  const limit = project.archived_at === null ? project.spending_limit : null
  return (
    <Card
      title={words.thisMonth(formatUtcMonth(Date.now()))}
      end={
        <Link
          className="quiet-link"
          to="/o/$slug/usage"
          params={{ slug }}
          search={{ project: project.id }}
        >
          {words.usageLink}
        </Link>
      }
    >
      <Loaded reading={usage} what={words.spent}>
        {({ data: [sum] }) => (
          <Figures
            name={project.name}
            spent={sum?.cost}
            requests={sum?.requests ?? 0}
            limit={limit}
          />
        )}
      </Loaded>
    </Card>
  )
}

function Figures({
  name,
  spent,
  requests,
  limit,
}: {
  readonly name: string
  readonly spent: Money | undefined
  readonly requests: number
  readonly limit: Money | null
}) {
  const micro = spent?.amount_micro ?? 0
  const currency = spent?.currency ?? limit?.currency ?? ''
  const left = limit === null ? null : Math.max(0, limit.amount_micro - micro)
  return (
    <dl className="figures">
      <div>
        <dt className="fig-label">{words.spent}</dt>
        <dd className="fig">
          {formatAmount(micro)} <small>{currency}</small>
        </dd>
        {limit !== null && <SpentBar label={name} spent={micro} limit={limit} />}
      </div>
      <div>
        <dt className="fig-label">{limit === null ? words.limit : words.left}</dt>
        <dd className="fig">
          {left === null ? projects.noLimit : formatAmount(left)}{' '}
          {limit !== null && <small>{projects.ofLimitShort(formatMoney(limit))}</small>}
        </dd>
        {left === 0 && <p className="bad">{words.overLimit}</p>}
      </div>
      <div>
        <dt className="fig-label">{words.requests}</dt>
        <dd className="fig">{formatCount(requests)}</dd>
      </div>
    </dl>
  )
}
