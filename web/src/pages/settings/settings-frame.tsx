import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router'
import { Arriving, useArrived } from '../../parts/arrival.tsx'
import { useTitle } from '../../parts/page.tsx'
import { useOrganization } from '../../shell/organization.tsx'
import { settings as words } from '../../words/settings.ts'
import styles from './settings.module.css'

const { tabs } = words
const PAGES = [
  { to: '/o/$slug/settings/general', label: tabs.general, needs: 'organization:read' },
  { to: '/o/$slug/settings/retention', label: tabs.retention, needs: 'retention:read' },
  { to: '/o/$slug/settings/sign-in', label: tabs.signIn, needs: 'sign-in:read' },
  {
    to: '/o/$slug/settings/management-keys',
    label: tabs.managementKeys,
    needs: 'management-keys:read',
  },
  { to: '/o/$slug/settings/support', label: tabs.support, needs: 'support-access:read' },
] as const

/** The heading and the links to the parts of the settings that the role may see. */
export function SettingsFrame() {
  const { slug, may } = useOrganization()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const arrived = useArrived()
  const current = PAGES.find(({ to }) => path.endsWith(to.slice('/o/$slug'.length)))
  useTitle(current === undefined ? words.title : `${current.label} · ${words.title}`)
  // On the way to another page this one is still shown, with the address of that one.
  if (/\/settings\/?$/.test(path))
    return <Navigate to="/o/$slug/settings/general" params={{ slug }} replace />
  return (
    <div className="page" data-arrived={arrived}>
      <header className={`page-head ${styles.settingsHead}`}>
        <h1>{words.title}</h1>
      </header>
      {!arrived && <Arriving />}
      <nav className="subnav" aria-label={words.title}>
        {PAGES.filter(({ needs }) => may(needs)).map(({ to, label }) => (
          <Link key={to} to={to} params={{ slug }}>
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </div>
  )
}
