import { Link } from '@tanstack/react-router'
import { Plus, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { useLiveLimits } from '../../api/use-live-limits.ts'
import { Meters } from '../../parts/meter.tsx'
import { Page } from '../../parts/page.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { overview as words } from '../../words/overview.ts'
import { BalanceCard } from './balance-card.tsx'
import { FirstRun } from './first-run.tsx'
import { HoursChart } from './hours-chart.tsx'
import { ModelsCard } from './models-card.tsx'
import { RefusalsCard } from './refusals-card.tsx'

const REFRESH_MS = 10_000
/** While somebody waits for their first request. */
const FIRST_REQUEST_MS = 1_000

/** The organization whose first request is looked at: the way back leads to the checklist. */
const explained: { slug: string | null } = { slug: null }

/** Before the first request the page is a checklist. */
export function OverviewPage() {
  const { path, may, slug } = useOrganization()
  const [left, setLeft] = useState<string | null>(null)
  const [waited, setWaited] = useState(explained.slug)
  const isWaiting = waited === slug && left !== slug
  const newest = useApi(
    'GET /organizations/{organization}/requests',
    { path, query: { limit: 1 } },
    { every: isWaiting ? FIRST_REQUEST_MS : REFRESH_MS, enabled: may('requests:read') },
  )
  const first = newest.data?.data[0]
  if (newest.data !== undefined && first === undefined && waited !== slug) setWaited(slug)
  const onLeave = () => {
    explained.slug = null
    setLeft(slug)
  }
  const onExplain = () => {
    explained.slug = slug
  }
  if (isWaiting) return <FirstRun request={first} onLeave={onLeave} onExplain={onExplain} />
  if (newest.data === undefined && newest.error === null)
    return (
      <Page title={words.title}>
        <Loaded reading={newest} what={words.title}>
          {() => null}
        </Loaded>
      </Page>
    )
  return <Figures />
}

function Figures() {
  const { name, slug, path, may } = useOrganization()
  const overview = useApi(
    'GET /organizations/{organization}/overview',
    { path },
    { every: REFRESH_MS },
  )
  const limits = useLiveLimits()
  return (
    <Page
      title={words.title}
      sub={words.sub(name)}
      actions={
        <>
          {may('playground:use') && (
            <Link className="btn" to="/o/$slug/playground" params={{ slug }}>
              <SquareTerminal size={16} aria-hidden /> {words.playground}
            </Link>
          )}
          {may('keys:write') && (
            <Link
              className="btn primary"
              to="/o/$slug/keys"
              params={{ slug }}
              search={{ create: '1' }}
            >
              <Plus size={16} aria-hidden /> {words.createKey}
            </Link>
          )}
        </>
      }
    >
      <Meters now={limits} />
      <div className="grid cols-main">
        <HoursChart />
        <Loaded reading={overview} what={words.balance}>
          {(read) => (
            <BalanceCard overview={read} running={limits.known ? limits.limits.running : null} />
          )}
        </Loaded>
      </div>
      <div className="grid cols-main">
        <ModelsCard overview={overview.data} />
        <RefusalsCard />
      </div>
    </Page>
  )
}
