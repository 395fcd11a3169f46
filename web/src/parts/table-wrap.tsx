import { useEffect, useRef, useState, type ReactNode } from 'react'

/** Browsers round positions. */
const SLACK_PX = 1

/**
 * Around a table. If the table is wider than its place, it scrolls sideways: the edge that hides
 * something fades, and the keyboard reaches it.
 */
export function TableWrap({
  label,
  className = '',
  children,
}: {
  /** Says what scrolls, for screen readers. */
  readonly label: string
  readonly className?: string | undefined
  readonly children: ReactNode
}) {
  const wrap = useRef<HTMLDivElement>(null)
  const [more, setMore] = useState('')
  const look = () => {
    if (wrap.current !== null) setMore(hiddenEdges(wrap.current))
  }
  useEffect(() => {
    const element = wrap.current
    if (element === null) return
    const sizes = new ResizeObserver(() => setMore(hiddenEdges(element)))
    sizes.observe(element)
    for (const child of element.children) sizes.observe(child)
    return () => sizes.disconnect()
  }, [])
  const scrolls = more !== '' && { tabIndex: 0, role: 'region', 'aria-label': label }
  return (
    <div
      ref={wrap}
      className={`table-wrap ${className}`.trim()}
      data-more={more === '' ? undefined : more}
      onScroll={look}
      {...scrolls}
    >
      {children}
    </div>
  )
}

function hiddenEdges({ scrollLeft, scrollWidth, clientWidth }: HTMLElement): string {
  const left = Math.abs(scrollLeft)
  const hidden = scrollWidth - clientWidth
  if (hidden <= SLACK_PX) return ''
  return [left > SLACK_PX ? 'start' : '', left < hidden - SLACK_PX ? 'end' : ''].join(' ').trim()
}
