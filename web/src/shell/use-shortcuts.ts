import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

const SEQUENCE_MS = 1000

/** g and then one of these. */
const PAGES = {
  o: '/o/$slug',
  k: '/o/$slug/keys',
  p: '/o/$slug/playground',
  u: '/o/$slug/usage',
  r: '/o/$slug/requests',
} as const

/** Ctrl K, ?, and "g k": not while somebody types, and not over an open dialog. */
export function useShortcuts(open: (what: 'go-to' | 'shortcuts') => void): void {
  const navigate = useNavigate()
  const { slug } = useParams({ strict: false })
  const pressedG = useRef(0)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        open('go-to')
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return
      if (event.key === '?') open('shortcuts')
      else if (event.key === 'g') pressedG.current = event.timeStamp
      else if (event.timeStamp - pressedG.current < SEQUENCE_MS && event.key in PAGES) {
        pressedG.current = 0
        if (slug !== undefined)
          void navigate({ to: PAGES[event.key as keyof typeof PAGES], params: { slug } })
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [open, navigate, slug])
}

function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select'))
  )
}
