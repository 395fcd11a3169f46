import { Link } from '@tanstack/react-router'
import type { Key, RequestSummary } from '../../api/routes.ts'
import { useApi } from '../../api/use-api.ts'
import { formatCount, formatMoney } from '../../format/number.ts'
import { firstRequest } from '../../format/snippets.ts'
import { formatClock } from '../../format/clock.ts'
import { formatDate } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { Checklist, Step } from '../../parts/checklist.tsx'
import { Snippets } from '../../parts/code.tsx'
import { Page } from '../../parts/page.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { firstRun as words } from '../../words/first-run.ts'
import { overview } from '../../words/overview.ts'
import { FirstRunSide } from './first-run-side.tsx'
import styles from './overview.module.css'

const KEY_MS = 2_000
const VARIABLE = 'HEADRACE_API_KEY'

type Leaving = {
  readonly onLeave: () => void
  /** The request is looked at, and the way back leads here. */
  readonly onExplain: () => void
}

/** Three steps that tick themselves; the last when the first request was seen. */
export function FirstRun({
  request,
  ...leaving
}: Leaving & { readonly request: RequestSummary | undefined }) {
  const { path, may } = useOrganization()
  const key = useApi(
    'GET /organizations/{organization}/keys',
    { path, query: { limit: 1, state: 'active' } },
    { every: KEY_MS, enabled: may('keys:read') },
  ).data?.data[0]
  const isSeen = request !== undefined
  return (
    <Page title={overview.title} sub={words.sub}>
      <div className={`grid cols-main ${styles.atStart}`}>
        <section className="card" aria-label={words.steps}>
          <Checklist>
            <Step
              number={1}
              title={words.createKey}
              state={key === undefined && !isSeen ? 'now' : 'done'}
              end={key !== undefined && formatClock(Date.parse(key.created_at))}
            >
              {key === undefined ? !isSeen && <CreateFirst /> : <FirstKey stored={key} />}
            </Step>
            <Step
              number={2}
              title={words.send}
              state={isSeen ? 'done' : key === undefined ? 'later' : 'now'}
              end={isSeen && formatClock(Date.parse(request.made_at))}
            >
              {!isSeen && <SendFirst stored={key} />}
            </Step>
            <Step number={3} title={words.see} state={isSeen ? 'done' : 'later'}>
              {isSeen ? (
                <Arrived request={request} {...leaving} />
              ) : (
                <>
                  <p>{words.seeText}</p>
                  <div className={styles.listening} role="status">
                    <span className={styles.pulse} aria-hidden />
                    <span>{words.waiting(key?.name)}</span>
                  </div>
                </>
              )}
            </Step>
          </Checklist>
        </section>
        <FirstRunSide />
      </div>
    </Page>
  )
}

function CreateFirst() {
  const { slug, may } = useOrganization()
  if (!may('keys:write')) return <p>{words.askForKey}</p>
  return (
    <>
      <p>{words.createText}</p>
      <Link
        className={`btn primary ${styles.stepBtn}`}
        to="/o/$slug/keys"
        params={{ slug }}
        search={{ create: 'first' }}
      >
        {words.create}
      </Link>
    </>
  )
}

function FirstKey({ stored }: { readonly stored: Key }) {
  const { expires_at: expires } = stored
  const ends = expires === null ? words.neverEnds : words.endsOn(formatDate(expires))
  return (
    <p>
      <span className="ink-2 medium">{stored.name}</span> <code>{stored.shown_as}</code>{' '}
      {words.hasKey(stored.project.name, ends)}
    </p>
  )
}

function SendFirst({ stored }: { readonly stored: Key | undefined }) {
  const { path, slug, may } = useOrganization()
  const models = useApi('GET /organizations/{organization}/models', { path }).data?.data
  const model = stored?.models?.[0] ?? models?.[0]?.id
  if (model === undefined) return null
  return (
    <>
      <p>{words.sendText(VARIABLE)}</p>
      <Snippets label={words.language} snippets={firstRequest(model)} />
      {may('playground:use') && (
        <p className={styles.stepBtn}>
          {words.noTerminal}{' '}
          <Link className="link" to="/o/$slug/playground" params={{ slug }}>
            {words.fromPlayground}
          </Link>
          .
        </p>
      )}
    </>
  )
}

function Arrived({ request, onLeave, onExplain }: Leaving & { readonly request: RequestSummary }) {
  const { slug } = useOrganization()
  const { tokens, cost } = request
  const count = tokens === null ? null : tokens.prompt_tokens + tokens.completion_tokens
  return (
    <div role="status">
      <p>
        {words.arrived}{' '}
        {cost?.amount_micro === 0
          ? words.usedFree(formatCount(count))
          : words.used(formatCount(count), formatMoney(cost, 6))}
      </p>
      <div className={`row ${styles.stepBtn}`}>
        <Button look="primary" onClick={onLeave}>
          {words.toOverview}
        </Button>
        <Link
          className="btn"
          to="/o/$slug/requests/$request"
          params={{ slug, request: request.id }}
          onClick={onExplain}
        >
          {words.explain}
        </Link>
      </div>
    </div>
  )
}
