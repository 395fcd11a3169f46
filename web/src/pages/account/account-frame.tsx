import { Link, Outlet } from '@tanstack/react-router'
import { Page } from '../../parts/page.tsx'
import { account } from '../../words/account.ts'
import styles from './account.module.css'

const TABS = ['profile', 'security', 'sessions', 'organizations'] as const

export function AccountFrame() {
  return (
    <Page title={account.title}>
      <nav className="subnav" aria-label={account.navigation}>
        {TABS.map((name) => (
          <Link key={name} to={`/account/${name}`}>
            {account.tabs[name]}
          </Link>
        ))}
      </nav>
      <div className={styles.accountPage}>
        <Outlet />
      </div>
    </Page>
  )
}
