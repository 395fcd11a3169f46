import { useEffect, type ReactNode } from 'react'
import { everywhere } from '../words/everywhere.ts'
import { Arriving, useArrived } from './arrival.tsx'

/** The frame of a page: its title is the only h1 and the title of the tab. */
export function Page({
  title,
  sub,
  actions,
  crumb,
  badge,
  children,
}: {
  readonly title: string
  /** Before the title: the state of what the page is about. */
  readonly badge?: ReactNode
  readonly sub?: ReactNode
  readonly actions?: ReactNode
  /** The link back to the list. */
  readonly crumb?: ReactNode
  readonly children: ReactNode
}) {
  useTitle(title)
  const arrived = useArrived()
  return (
    <div className="page" data-arrived={arrived}>
      <header className="page-head">
        <div>
          {crumb}
          {badge === undefined ? (
            <h1>{title}</h1>
          ) : (
            <div className="verdict">
              {badge}
              <h1>{title}</h1>
            </div>
          )}
          {sub !== undefined && sub !== false && <div className="sub">{sub}</div>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {!arrived && <Arriving />}
      {children}
    </div>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${everywhere.product}`
  }, [title])
}

/** A card with a heading; without one it is a plain box. */
export function Card({
  title,
  meta,
  end,
  foot,
  className = '',
  children,
}: {
  readonly title?: string
  readonly meta?: ReactNode
  /** At the end of the heading: links, switches. */
  readonly end?: ReactNode
  readonly foot?: ReactNode
  readonly className?: string | undefined
  readonly children: ReactNode
}) {
  return (
    <section className={`card ${className}`.trim()} aria-label={title}>
      {title !== undefined && (
        <div className="card-head">
          <h2>{title}</h2>
          {meta !== undefined && <span className="meta">{meta}</span>}
          {end !== undefined && <span className="push">{end}</span>}
        </div>
      )}
      {children}
      {foot !== undefined && <div className="card-foot">{foot}</div>}
    </section>
  )
}
