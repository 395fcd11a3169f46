import { Link } from '@tanstack/react-router'
import { HAS_PAYMENTS } from '../api/place.ts'
import { useApi } from '../api/use-api.ts'
import { formatCount } from '../format/number.ts'
import type { Me } from '../api/routes.ts'
import { operatorPages } from '../words/operator-pages.ts'
import { icons } from './icons.ts'
import { Items } from './nav-items.tsx'
import { operatorIcons } from './operator-icons.ts'
import { useOwnOrganizations } from './organization.tsx'
import styles from './frame.module.css'

/** The switcher has the rest. */
const OWN_SHOWN = 8
const WAITING_COUNTED = 100
const WAITING_MS = 60_000

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

const PAYMENTS = {
  to: '/operator/payments',
  label: operatorPages.payments,
  icon: operatorIcons.payments,
} as const

function OperatorPages() {
  const waiting = useWaiting()
  return (
    <Items
      title={operatorPages.title}
      items={[
        { to: '/operator', label: operatorPages.overview, icon: icons.overview, exact: true },
        {
          to: '/operator/waiting',
          label: operatorPages.waiting,
          icon: operatorIcons.waiting,
          count: waiting,
        },
        { to: '/operator/accounts', label: operatorPages.accounts, icon: icons.members },
        {
          to: '/operator/organizations',
          label: operatorPages.organizations,
          icon: operatorIcons.organizations,
        },
        { to: '/operator/engines', label: operatorPages.engines, icon: operatorIcons.engines },
        { to: '/operator/plans', label: operatorPages.plans, icon: icons.models },
        { to: '/operator/configuration', label: operatorPages.configuration, icon: icons.settings },
        ...(HAS_PAYMENTS ? [PAYMENTS] : []),
        { to: '/operator/vouchers', label: operatorPages.vouchers, icon: operatorIcons.vouchers },
        { to: '/operator/ledger', label: operatorPages.ledger, icon: operatorIcons.ledger },
        { to: '/operator/audit', label: operatorPages.audit, icon: icons.audit },
      ]}
    />
  )
}

/** People who wait to be admitted, if there are any. */
function useWaiting() {
  const query = { state: 'waiting', limit: WAITING_COUNTED } as const
  const page = useApi('GET /operator/accounts', { query }, { every: WAITING_MS }).data
  const count = page?.data.length ?? 0
  if (count === 0) return undefined
  const more = page?.next !== null
  const text = more ? `${formatCount(count)}+` : formatCount(count)
  return { text, title: operatorPages.peopleWait({ count, more }) }
}
