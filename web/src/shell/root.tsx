import { Link, Outlet } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { noteUnreachable } from '../api/connection.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import { Toasts } from '../parts/toast.tsx'
import { everywhere } from '../words/everywhere.ts'
import { ConfirmIdentity } from './confirm.tsx'
import { PageNotLoaded, reloadOnce } from './lazy-page.ts'
import { SessionEnded } from './session-ended.tsx'

const LOAD_AGAIN_MS = 5_000

export function Root() {
  return (
    <>
      <Suspense>
        <Outlet />
      </Suspense>
      <ConfirmIdentity />
      <SessionEnded />
      <Toasts />
    </>
  )
}

export function NotFound() {
  return (
    <main className="page">
      <h1 className="sr">{everywhere.pageNotFound}</h1>
      <Empty
        title={everywhere.pageNotFound}
        action={
          <Link className="btn" to="/">
            {everywhere.toOverview}
          </Link>
        }
      >
        {everywhere.pageNotFoundText}
      </Empty>
    </main>
  )
}

/** A page that failed: its code could not be loaded, or it could not be drawn. */
export function Crashed({ error }: { readonly error: unknown }) {
  return error instanceof PageNotLoaded ? <NotLoaded /> : <Failed />
}

/** It waits until the console answers. Then the files have changed: the page loads the new ones. */
function NotLoaded() {
  const [isGivenUp, setGivenUp] = useState(false)
  useEffect(() => {
    const load = async () => {
      const isThere = await fetch(location.href, { cache: 'no-store' }).then(
        ({ ok }) => ok,
        () => false,
      )
      if (!isThere) noteUnreachable()
      else if (!reloadOnce()) setGivenUp(true)
    }
    const loadNow = () => void load()
    loadNow()
    const timer = setInterval(loadNow, LOAD_AGAIN_MS)
    addEventListener('online', loadNow)
    return () => {
      clearInterval(timer)
      removeEventListener('online', loadNow)
    }
  }, [])
  if (isGivenUp) return <Failed />
  return (
    <div className="page">
      <h1 className="sr">{everywhere.noAnswer}</h1>
      <Empty title={everywhere.noAnswer}>{everywhere.pageWaits}</Empty>
    </div>
  )
}

function Failed() {
  return (
    <main className="page">
      <h1 className="sr">{everywhere.pageFailed}</h1>
      <Empty
        title={everywhere.pageFailed}
        action={<Button onClick={() => location.reload()}>{everywhere.reload}</Button>}
      >
        {everywhere.pageFailedText}
      </Empty>
    </main>
  )
}
