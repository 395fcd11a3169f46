import { Link } from '@tanstack/react-router'
import { SquareTerminal } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { RequestDetail } from '../../api/routes.ts'
import { useMe } from '../../shell/session.ts'
import { request as words } from '../../words/request.ts'
import type { PlaygroundSearch } from '../playground/search.ts'

/**
 * The settings of one's own request in the playground, if this tab still has it with its text. The
 * service keeps neither where the console could read it.
 */
export function useReplay(
  request: RequestDetail | undefined,
  slug: string,
): PlaygroundSearch | undefined {
  const account = useMe().data?.id
  const [found, setFound] = useState<PlaygroundSearch>()
  const own = request?.key.kind === 'playground' && request.key.id === account
  const id = own ? request.id : undefined
  useEffect(() => {
    if (account === undefined || id === undefined) return
    let left = false
    void import('../playground/replay.ts').then(
      ({ findReplay }) => left || setFound(findReplay(account, slug, id)),
      // Without it the playground opens with the model alone.
      () => undefined,
    )
    return () => {
      left = true
    }
  }, [account, slug, id])
  return found
}

/** Opens the playground with as much of a request as there is. */
export function OpenInPlayground({
  request: { model, project },
  slug,
  replay,
}: {
  readonly request: RequestDetail
  readonly slug: string
  readonly replay: PlaygroundSearch | undefined
}) {
  if (model === null) return null
  return (
    <Link
      className="btn"
      to="/o/$slug/playground"
      params={{ slug }}
      search={{ ...replay, model, project: project.id }}
    >
      <SquareTerminal size={16} aria-hidden /> {words.openInPlayground}
    </Link>
  )
}
