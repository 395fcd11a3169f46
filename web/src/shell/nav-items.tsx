import { Link, type LinkProps } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import styles from './frame.module.css'

export type Item = {
  readonly to: NonNullable<LinkProps['to']>
  readonly label: string
  readonly icon: LucideIcon
  readonly exact?: boolean
  /** How many things wait there, and what that is in words. */
  readonly count?: { readonly text: string; readonly title: string } | undefined
}

/** A group of links in the sidebar. */
export function Items({
  title,
  items,
  slug,
}: {
  readonly title?: string
  readonly items: readonly Item[]
  readonly slug?: string
}) {
  return (
    <div className={styles.nav}>
      {title !== undefined && <h2>{title}</h2>}
      {items.map(({ to, label, icon: Shown, exact, count }) => (
        <Link
          key={label}
          to={to}
          {...(slug !== undefined && { params: { slug } as never })}
          activeOptions={{ exact: exact === true, includeSearch: false }}
        >
          <Shown size={16} aria-hidden />
          {label}
          {count !== undefined && (
            <span className={styles.count} title={count.title}>
              {count.text}
            </span>
          )}
        </Link>
      ))}
    </div>
  )
}
