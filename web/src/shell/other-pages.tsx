import { Link } from '@tanstack/react-router'
import type { Me } from '../api/routes.ts'
import { operatorPages } from '../words/operator-pages.ts'
import { icons } from './icons.ts'
import { Items } from './nav-items.tsx'
import { operatorIcons } from './operator-icons.ts'
import { useOwnOrganizations } from './organization.tsx'
import styles from './frame.module.css'

/** The switcher has the rest. */
const OWN_SHOWN = 8

/** Outside of an organization: the way back to one's own, and the operator's pages. */
export function OtherPages({ me }: { readonly me: Me }) {
  const own = useOwnOrganizations().data?.data ?? []
  return (
    <>
      {own.length > 0 && (
        <div className={styles.nav}>
          <h2>{operatorPages.own}</h2>
          {own.slice(0, OWN_SHOWN).map(({ slug, name }) => (
            <Link key={slug} to="/o/$slug" params={{ slug }}>
              <operatorIcons.organizations size={16} aria-hidden />
              <span className="cut">{name}</span>
            </Link>
          ))}
        </div>
      )}
      {me.platform_role !== null && <OperatorPages />}
    </>
  )
}

function OperatorPages() {
  return (
    <Items
      title={operatorPages.title}
      items={[
        { to: '/operator', label: operatorPages.overview, icon: icons.overview, exact: true },
        { to: '/operator/waiting', label: operatorPages.waiting, icon: operatorIcons.waiting },
        { to: '/operator/accounts', label: operatorPages.accounts, icon: icons.members },
        {
          to: '/operator/organizations',
          label: operatorPages.organizations,
          icon: operatorIcons.organizations,
        },
        { to: '/operator/engines', label: operatorPages.engines, icon: operatorIcons.engines },
        { to: '/operator/plans', label: operatorPages.plans, icon: icons.models },
        { to: '/operator/configuration', label: operatorPages.configuration, icon: icons.settings },
        { to: '/operator/books', label: operatorPages.books, icon: operatorIcons.books },
        { to: '/operator/audit', label: operatorPages.audit, icon: icons.audit },
      ]}
    />
  )
}
