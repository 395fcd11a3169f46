import { getRouteApi, Link } from '@tanstack/react-router'
import { ChevronLeft, Link as LinkIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApi } from '../../api/use-api.ts'
import { Button } from '../../parts/button.tsx'
import { copyLink } from '../../parts/copy-text.ts'
import { Copy } from '../../parts/copy.tsx'
import { Page } from '../../parts/page.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { useNow } from '../../parts/now.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { everywhere } from '../../words/everywhere.ts'
import { request as words } from '../../words/request.ts'
import { requests } from '../../words/requests.ts'
import { titleOf } from './explain.ts'
import { StatusTag } from './outcome-tag.tsx'
import { MinuteCard } from './minute-card.tsx'
import { OpenInPlayground, useReplay } from './replay.tsx'
import { RequestExplanation } from './request-explanation.tsx'
import { factsOf, SentBy } from './sent-by.tsx'
import { SupportLink } from './support-link.tsx'

const route = getRouteApi('/app/o/$slug/requests/$request')
const LOOK_AGAIN_MS = 3000
/** A request that began so short a time ago may be running; its record is posted at its end. */
const MAY_RUN_MS = 15 * 60_000

export function RequestPage() {
  const { request: id, slug } = route.useParams()
  const { path, may } = useOrganization()
  const recent = useMayRun(id)
  const reading = useApi(
    'GET /organizations/{organization}/requests/{request}',
    { path: { ...path, request: id } },
    { every: recent ? LOOK_AGAIN_MS : false },
  )
  const { data } = reading
  const replay = useReplay(data, slug)
  const crumb = (
    <Link className="crumb" to="/o/$slug/requests" params={{ slug }}>
      <ChevronLeft size={14} aria-hidden /> {words.back}
    </Link>
  )
  if (data === undefined && reading.error?.code === 'not_found')
    return <NotFound id={id} crumb={crumb} recent={recent} />
  return (
    <Page
      title={data === undefined ? requests.what : titleOf(data)}
      crumb={crumb}
      badge={data !== undefined && <StatusTag request={data} />}
      actions={
        <>
          <Button onClick={() => void copyLink(location.href, words.linkCopied)}>
            <LinkIcon size={16} aria-hidden /> {words.copyLink}
          </Button>
          {data !== undefined && may('request-links:write') && <SupportLink request={id} />}
          {data !== undefined && may('playground:use') && (
            <OpenInPlayground request={data} slug={slug} replay={replay} />
          )}
        </>
      }
    >
      <Loaded reading={reading} what={requests.what}>
        {(request) => (
          <RequestExplanation
            request={request}
            by={<SentBy request={request} slug={slug} />}
            facts={[
              ...factsOf(request),
              ...(may('playground:use') && request.model !== null
                ? ([[words.facts.replay, words.replays(replay !== undefined)]] as const)
                : []),
            ]}
            slug={slug}
          >
            <MinuteCard request={request} />
          </RequestExplanation>
        )}
      </Loaded>
    </Page>
  )
}

function NotFound({
  id,
  crumb,
  recent,
}: {
  readonly id: string
  readonly crumb: ReactNode
  readonly recent: boolean
}) {
  return (
    <Page title={requests.what} crumb={crumb}>
      <section className="card">
        <Empty
          title={recent ? words.maybeRunning : words.notFoundTitle}
          action={<Copy value={id} what={everywhere.requestId} />}
        >
          {words.notFound}
        </Empty>
      </section>
    </Page>
  )
}

/** The first 48 bits of an id are its time in milliseconds. */
function useMayRun(id: string): boolean {
  const now = useNow()
  const madeAt = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  return now - madeAt < MAY_RUN_MS && madeAt <= now + MAY_RUN_MS
}
