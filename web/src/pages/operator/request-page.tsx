import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { useState } from 'react'
import type { OperatorRequest } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatCount, formatMoney, UNKNOWN } from '../../format/number.ts'
import { formatDuration } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { TextField } from '../../parts/field.tsx'
import { LinesCard } from '../../parts/lines-card.tsx'
import { Card, Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Instant } from '../../parts/time.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { operatorService } from '../../words/operator-service.ts'
import { TraceLink } from '../requests/trace-link.tsx'
import styles from './operator.module.css'

const words = operatorService.request
const route = getRouteApi('/app/operator/requests/$request')

export function OperatorRequestPage() {
  const { request } = route.useParams()
  const { organization } = route.useSearch()
  const reading = useApi('GET /operator/requests/{request}', {
    path: { request },
    query: organization === undefined ? {} : { organization },
  })
  const missing = reading.data === undefined && reading.error?.code === 'not_found'
  return (
    <Page
      title={words.title}
      sub={<Copy value={request} what={everywhere.requestId} />}
      crumb={
        <Link className="crumb" to="/operator">
          <ChevronLeft size={14} aria-hidden /> {words.back}
        </Link>
      }
    >
      {missing ? (
        <NotFound organization={organization} />
      ) : (
        <Loaded reading={reading} what={words.what}>
          {(value) => (
            <div className={`grid ${styles.halves}`}>
              <Served request={value} />
              <Happened request={value} />
            </div>
          )}
        </Loaded>
      )}
    </Page>
  )
}

/** What only operators see: engine, retries, process. */
export function Served({ request }: { readonly request: OperatorRequest }) {
  const { attempts, trace_url: traceUrl } = request
  return (
    <LinesCard
      title={words.served}
      lines={[
        [words.engine, request.engine ?? UNKNOWN],
        [words.process, request.process ?? UNKNOWN],
        [words.attempts, attempts === null ? UNKNOWN : words.retried(attempts)],
        [words.queued, formatDuration(request.queued_ms)],
        [words.firstToken, formatDuration(request.first_token_ms)],
        [words.duration, formatDuration(request.duration_ms)],
        ...(traceUrl === null
          ? []
          : ([
              [words.trace, <TraceLink key="t" url={traceUrl} text={words.openTrace} />],
            ] as const)),
        [
          words.organization,
          <Link
            key="organization"
            className="link"
            to="/operator/organizations/$organization"
            params={{ organization: request.organization }}
          >
            {request.organization}
          </Link>,
        ],
      ]}
    />
  )
}

function Happened({ request }: { readonly request: OperatorRequest }) {
  const { tokens, error } = request
  const good = request.outcome === 'completed' || request.outcome === 'abandoned'
  return (
    <LinesCard
      title={words.facts}
      lines={[
        [
          words.outcome,
          <Tag key="outcome" tone={good ? 'ok' : 'bad'}>
            {words.outcomes[request.outcome]}
          </Tag>,
        ],
        ...(error === null
          ? []
          : [[words.error, <code key="error">{`${error.status} ${error.code}`}</code>] as const]),
        [words.made, <Instant key="made" time={request.made_at} />],
        [words.settled, <Instant key="settled" time={request.settled_at} />],
        [words.model, request.model ?? UNKNOWN],
        [words.key, request.key.name ?? request.key.id],
        [
          words.tokens,
          tokens === null
            ? UNKNOWN
            : words.tokenText(
                formatCount(tokens.prompt_tokens),
                formatCount(tokens.completion_tokens),
              ),
        ],
        [words.cost, formatMoney(request.cost, 6)],
      ]}
    />
  )
}

function NotFound({ organization }: { readonly organization: string | undefined }) {
  const navigate = route.useNavigate()
  const [name, setName] = useState(organization ?? '')
  return (
    <Card>
      <Empty
        title={words.notFound}
        action={
          <form
            className={styles.lookThere}
            onSubmit={(event) => {
              event.preventDefault()
              void navigate({ search: { organization: name }, replace: true })
            }}
          >
            <TextField
              label={words.inOrganization}
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit">{words.look}</Button>
          </form>
        }
      >
        {words.notFoundText}
      </Empty>
    </Card>
  )
}
