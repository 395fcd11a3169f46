import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { signOut, useMe } from '../../shell/session.ts'
import { entry } from '../../words/entry.ts'
import { Door } from './door.tsx'

const words = entry.otherSession

/** An identity provider named another account than the one that this browser is signed in to. */
export function OtherSession({ otherwise }: { readonly otherwise: ReactNode }) {
  const me = useMe()
  if (me.isPending)
    return (
      <Door title={words.title}>
        <Skeleton />
      </Door>
    )
  // The session has ended meanwhile.
  if (me.data === undefined) return otherwise
  return (
    <Door title={words.title} sub={words.who(me.data.email)}>
      <p>{words.text}</p>
      <Link className="btn primary lg block" to="/">
        {words.stay}
      </Link>
      <Button size="lg" block onClick={() => void signOut()}>
        {words.signOut}
      </Button>
    </Door>
  )
}
