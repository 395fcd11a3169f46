import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { Key, RequestSummary } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { useList } from '../../api/use-list.ts'
import { formatCount, formatMoney, UNKNOWN } from '../../format/number.ts'
import { formatDuration } from '../../format/time.ts'
import { Name } from '../../parts/name.tsx'
import { Card } from '../../parts/page.tsx'
import { RefusalList } from '../../parts/refusal-list.tsx'
import { Loaded } from '../../parts/states.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Dot } from '../../parts/tag.tsx'
import { Ago } from '../../parts/time.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { keyPage as words } from '../../words/key-page.ts'
import styles from './keys.module.css'

const REQUESTS_SHOWN = 10
const EVENTS_SHOWN = 10
const REFRESH_MS = 5_000

type Props = { readonly stored: Key }

export function KeyRequests({ stored }: Props) {
  const { path, slug } = useOrganization()
  const list = useList(
    'GET /organizations/{organization}/requests',
    { path, query: { key: stored.id, limit: REQUESTS_SHOWN } },
    { every: REFRESH_MS },
  )
  return (
    <Card title={words.recent} end={<More stored={stored} label={words.allRequests} />}>
      <ListTable
        caption={words.recentCaption}
        what={words.recent}
        className={styles.requests}
        list={{ ...list, hasMore: false }}
        columns={[
          { name: words.time },
          { name: words.outcome },
          { name: words.model },
          { name: words.tokens, numeric: true },
          { name: words.cost, numeric: true },
          { name: words.duration, numeric: true },
        ]}
        row={(request) => <RequestRow key={request.id} request={request} slug={slug} />}
        empty={<div className="card-body ink-3">{words.recentEmpty}</div>}
      />
    </Card>
  )
}

function RequestRow({
  request,
  slug,
}: {
  readonly request: RequestSummary
  readonly slug: string
}) {
  const { tokens, outcome } = request
  const count = tokens === null ? null : tokens.prompt_tokens + tokens.completion_tokens
  return (
    <tr>
      <th scope="row">
        <Link to="/o/$slug/requests/$request" params={{ slug, request: request.id }}>
          <Ago time={request.made_at} />
        </Link>
      </th>
      <td>
        <span className={styles.owner}>
          <Dot tone={outcome === 'completed' ? 'ok' : 'bad'} /> {words.outcomes[outcome]}
        </span>
      </td>
      <td>
        <code className="ink-2">
          <Name value={request.model ?? UNKNOWN} />
        </code>
      </td>
      <td className="num xs-n" data-label={words.tokens}>
        {formatCount(count)}
      </td>
      <td className="num xs-n" data-label={words.cost}>
        {formatMoney(request.cost, 6)}
      </td>
      <td className="num xs-n" data-label={words.duration}>
        {formatDuration(request.duration_ms)}
      </td>
    </tr>
  )
}

function More({
  stored,
  label,
  outcome,
}: Props & { readonly label: string; readonly outcome?: 'refused' }) {
  const { slug } = useOrganization()
  const search = { key: stored.id, ...(outcome !== undefined && { outcome }) }
  return (
    <Link className="quiet-link xs" to="/o/$slug/requests" params={{ slug }} search={search}>
      {label}
      <ChevronRight size={14} aria-hidden />
    </Link>
  )
}

export function KeyRefusals({ stored }: Props) {
  return (
    <Card
      title={words.refusals}
      meta={words.refusalsMeta}
      end={<More stored={stored} label={words.allRefusals} outcome="refused" />}
    >
      <RefusalList query={{ key: stored.id }} title={words.refusals} none={words.refusalsEmpty} />
    </Card>
  )
}

export function KeyAudit({ stored }: Props) {
  const { path } = useOrganization()
  const events = useApi('GET /organizations/{organization}/audit-events', {
    path,
    query: { target: stored.id, limit: EVENTS_SHOWN },
  })
  return (
    <Card title={words.audit}>
      <Loaded reading={events} what={words.audit}>
        {({ data }) =>
          data.length === 0 ? (
            <div className="card-body ink-3">{words.auditEmpty}</div>
          ) : (
            <ul className="list">
              {data.map((event) => (
                <li key={event.id}>
                  <div>
                    <span>{words.actions[event.action] ?? event.action}</span>
                    <span className="ink-3 xs">
                      <Ago time={event.made_at} />
                    </span>
                    <span className="why">{words.by(event.actor.label)}</span>
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}
