import { Link, Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/states.tsx'
import { Toasts } from '../parts/toast.tsx'
import { everywhere } from '../words/everywhere.ts'
import { ConfirmIdentity } from './confirm.tsx'

export function Root() {
  return (
    <>
      <Suspense>
        <Outlet />
      </Suspense>
      <ConfirmIdentity />
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

/** A page that failed while it was drawn: our fault, and a reload may help. */
export function Crashed() {
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
