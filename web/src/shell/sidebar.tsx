import { useParams } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { formatClock } from '../format/clock.ts'
import { Dot } from '../parts/tag.tsx'
import { useNow } from '../parts/now.ts'
import { useConnection } from '../api/connection.ts'
import type { Me } from '../api/routes.ts'
import { shell } from '../words/shell.ts'
import { AccountMenu } from './account-menu.tsx'
import { GO_TO_KEYS } from './go-to-keys.ts'
import { icons } from './icons.ts'
import { Items, type Item } from './nav-items.tsx'
import { useAccess, useOrganization } from './organization.tsx'
import { Switcher } from './switcher.tsx'
import styles from './frame.module.css'

const { pages } = shell

/** Every page asks something twice as often as this. */
const LIVE_MS = 60_000

/** Most pages are those of an organization: the others are loaded when they are needed. */
const OtherPages = lazy(() =>
  import('./other-pages.tsx').then((module) => ({ default: module.OtherPages })),
)

/** The parts of the sidebar: its switcher, the way to everything, the pages, the account. */
export function Sidebar({ me, onGoTo }: { readonly me: Me; readonly onGoTo: () => void }) {
  const { slug } = useParams({ strict: false })
  const access = useAccess()
  return (
    <>
      <Switcher />
      <button type="button" className={styles.goto} onClick={onGoTo}>
        <Search size={14} aria-hidden />
        {shell.goTo}
        <kbd className="kbd">{GO_TO_KEYS}</kbd>
      </button>
      <nav aria-label={shell.mainNavigation} className={styles.navs}>
        <Suspense>
          {slug === undefined || access === 'none' ? (
            <OtherPages me={me} />
          ) : (
            // Not before the role is known: some pages are for some roles only.
            access !== 'unknown' && <OrganizationPages slug={slug} />
          )}
        </Suspense>
      </nav>
      <div className={styles.sideFoot}>
        <Clock />
        <AccountMenu me={me} />
      </div>
    </>
  )
}

function OrganizationPages({ slug }: { readonly slug: string }) {
  const { may } = useOrganization()
  const observe: Item[] = [
    { to: '/o/$slug/usage', label: pages.usage, icon: icons.usage },
    { to: '/o/$slug/requests', label: pages.requests, icon: icons.requests },
    { to: '/o/$slug/limits', label: pages.limits, icon: icons.limits },
    { to: '/o/$slug/models', label: pages.models, icon: icons.models },
  ]
  const manage: Item[] = [
    { to: '/o/$slug/projects', label: pages.projects, icon: icons.projects },
    { to: '/o/$slug/members', label: pages.members, icon: icons.members },
    ...(may('audit:read')
      ? [{ to: '/o/$slug/audit', label: pages.audit, icon: icons.audit } as const]
      : []),
    { to: '/o/$slug/settings', label: pages.settings, icon: icons.settings },
  ]
  if (may('billing:read'))
    manage.unshift({ to: '/o/$slug/billing', label: pages.billing, icon: icons.billing })
  return (
    <>
      <Items
        slug={slug}
        items={[
          { to: '/o/$slug', label: pages.overview, icon: icons.overview, exact: true },
          { to: '/o/$slug/keys', label: pages.keys, icon: icons.keys },
          ...(may('playground:use')
            ? [
                {
                  to: '/o/$slug/playground',
                  label: pages.playground,
                  icon: icons.playground,
                } as const,
              ]
            : []),
        ]}
      />
      <Items slug={slug} title={shell.observe} items={observe} />
      <Items slug={slug} title={shell.manage} items={manage} />
    </>
  )
}

function Clock() {
  const now = useNow()
  const { isAnswering, answeredAt } = useConnection()
  const isLive = isAnswering && now - answeredAt < LIVE_MS
  return (
    <div className={styles.livebar} aria-hidden>
      <Dot tone={isLive ? 'live' : 'off'} />{' '}
      {isLive ? shell.live(formatClock(now)) : shell.asOf(formatClock(answeredAt))}
    </div>
  )
}
