import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { RequestSummary } from '../api/routes.ts'
import { useApi } from '../api/use-reading.ts'
import { formatDuration } from '../format/time.ts'
import { useOrganization } from '../shell/organization.tsx'
import { refusals as words } from '../words/refusals.ts'
import { Loaded } from './states.tsx'
import { Tag } from './tag.tsx'
import { Ago } from './time.tsx'

const SHOWN = 3
const REFRESH_MS = 5_000

/** The latest refused requests: status, code and why, each leading to "explain". */
export function RefusalList({
  query,
  title,
  none,
}: {
  /** Which requests: those of a key, or all. */
  readonly query?: { readonly key?: string }
  readonly title: string
  readonly none: string
}) {
  const { path } = useOrganization()
  const reading = useApi(
    'GET /organizations/{organization}/requests',
    { path, query: { ...query, outcome: 'refused', limit: SHOWN } },
    { every: REFRESH_MS },
  )
  return (
    <Loaded reading={reading} what={title}>
      {({ data }) =>
        data.length === 0 ? (
          <div className="card-body ink-3">{none}</div>
        ) : (
          <ul className="list">
            {data.map((request) => (
              <RefusalItem key={request.id} request={request} />
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

function RefusalItem({ request }: { readonly request: RequestSummary }) {
  const { slug } = useOrganization()
  const { error } = request
  return (
    <li>
      <Link to="/o/$slug/requests/$request" params={{ slug, request: request.id }}>
        <span className="row">
          <Tag {...toneOf(error?.status)}>
            <span className="status">{error?.status}</span>
          </Tag>
          <code className="cut">{error?.code}</code>
          <ChevronRight size={14} aria-hidden />
        </span>
        <span className="why">
          {whyOf(request)} <span className="sr">{words.explain}</span>
        </span>
        <span className="ink-3 xs num">
          <Ago time={request.made_at} />
        </span>
      </Link>
    </li>
  )
}

function toneOf(status: number | undefined): { tone?: 'warn' | 'bad' } {
  if (status === undefined || status === 400) return {}
  return { tone: status === 429 || status === 402 ? 'warn' : 'bad' }
}

function whyOf({ error, model, key }: RequestSummary): string {
  if (error === null) return ''
  if (error.limits.length > 0) {
    const limits = error.limits.map((limit) => words.limits[limit] ?? limit).join(', ')
    const wait = error.retry_after_ms
    return words.exceeded(limits, wait === null ? '' : formatDuration(wait))
  }
  if (error.param !== null) return words.field(error.param)
  return model ?? words.byKey(key.name ?? '')
}
