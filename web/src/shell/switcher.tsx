import { Link, useParams } from '@tanstack/react-router'
import { Check, ChevronsUpDown } from 'lucide-react'
import { Menu } from '../parts/menu.tsx'
import { everywhere } from '../words/everywhere.ts'
import { shell } from '../words/shell.ts'
import { Mark } from './mark.tsx'
import { useAccess, useOrganization, useOwnOrganizations } from './organization.tsx'
import { useMe } from './session.ts'
import styles from './frame.module.css'

/** The organization in the address; its menu leads to the others. */
export function Switcher() {
  const { slug } = useParams({ strict: false })
  const own = useOwnOrganizations().data?.data ?? []
  const me = useMe().data
  const { name, plan, supportUntil } = useOrganization()
  const isOpen = useAccess() !== 'none' && slug !== undefined
  // Nothing before it is known; the line is there all the same, so that nothing moves.
  const ownPlan = plan === '' ? '\u{A0}' : shell.plan(plan)
  const subtitle = supportUntil === null ? ownPlan : shell.supportSubtitle
  return (
    <Menu
      className={styles.switcher}
      align="start"
      trigger={
        <>
          <Mark />
          <span className="cut">
            <b className="cut">{isOpen ? name : everywhere.product}</b>
            {isOpen && <small>{subtitle}</small>}
          </span>
          <ChevronsUpDown size={14} aria-hidden />
        </>
      }
    >
      {own.map((organization) => (
        <Link
          key={organization.id}
          role="menuitem"
          tabIndex={-1}
          to="/o/$slug"
          params={{ slug: organization.slug }}
        >
          <span className="cut grow">{organization.name}</span>
          {organization.slug === slug && <Check size={14} aria-hidden />}
        </Link>
      ))}
      {me?.may_create_organizations === true && (
        <Link role="menuitem" tabIndex={-1} to="/account/organizations">
          {shell.newOrganization}
        </Link>
      )}
      {me !== undefined && me.platform_role !== null && (
        <>
          <hr />
          <Link role="menuitem" tabIndex={-1} to="/operator">
            {shell.operatorArea}
          </Link>
        </>
      )}
    </Menu>
  )
}
