import { useQueryClient, type Query } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Skeleton } from './states.tsx'

/** A page waits this long for its slowest reading; then it shows what it has. */
const WAIT_MS = 1_000
/** An answer may bring parts that read more. They are drawn within one frame. */
const FRAME_MS = 16

/**
 * True once everything that the page reads first is there. Until then only its heading is shown,
 * so that no card pushes away the button that somebody is about to press.
 */
export function useArrived(): boolean {
  const page = useRouterState({ select: ({ matches }) => matches.at(-1)?.id ?? '' })
  const queries = useQueryClient()
  const [arrived, setArrived] = useState<string | null>(null)
  useEffect(() => {
    const stop = () => {
      unsubscribe()
      clearTimeout(looking)
      clearTimeout(atLast)
    }
    const finish = () => {
      stop()
      setArrived(page)
    }
    const look = () => {
      if (queries.isFetching({ predicate: isFirst }) === 0) finish()
    }
    let looking = setTimeout(look, FRAME_MS)
    const atLast = setTimeout(finish, WAIT_MS)
    const unsubscribe = queries.getQueryCache().subscribe(() => {
      clearTimeout(looking)
      looking = setTimeout(look, FRAME_MS)
    })
    return stop
  }, [page, queries])
  return arrived === page
}

function isFirst({ state }: Query): boolean {
  return state.data === undefined
}

/** Grey lines below the heading of a page that has not arrived. */
export function Arriving() {
  return (
    <div className="arriving">
      <Skeleton lines={5} />
    </div>
  )
}
