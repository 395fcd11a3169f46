import { Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { Menu as MenuIcon, WifiOff } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react'
import { useConnection } from '../api/connection.ts'
import type { Fault } from '../api/fault.ts'
import { formatClock } from '../format/clock.ts'
import { FaultNote, Skeleton } from '../parts/states.tsx'
import { everywhere } from '../words/everywhere.ts'
import { shell } from '../words/shell.ts'
import { useLanguageOf } from './language.ts'
import { Mark } from './mark.tsx'
import { useFreshRoles } from './organization.tsx'
import { RefusedStrip } from './refused-strip.tsx'
import { useMe } from './session.ts'
import { Sidebar } from './sidebar.tsx'
import { SupportBar } from './support-bar.tsx'
import { Switcher } from './switcher.tsx'
import { useShortcuts } from './use-shortcuts.ts'
import styles from './frame.module.css'

const GoTo = lazy(() => import('./go-to.tsx').then((module) => ({ default: module.GoTo })))
const Shortcuts = lazy(() =>
  import('./shortcuts.tsx').then((module) => ({ default: module.Shortcuts })),
)

/** Sidebar and content for everybody who is signed in. */
export function Frame() {
  const me = useMe()
  useLanguageOf(me.data)
  const page = useWhereItBelongs(me.data, me.error)
  const [open, setOpen] = useState<'go-to' | 'shortcuts' | null>(null)
  useShortcuts(setOpen)
  useFreshRoles(me.data !== undefined && page === undefined)
  if (me.data === undefined)
    return (
      <EmptyFrame>
        {me.error === null || page !== undefined ? (
          <Skeleton lines={5} />
        ) : (
          <FaultNote fault={me.error} retry={() => void me.refetch()} />
        )}
      </EmptyFrame>
    )
  if (page !== undefined) return null
  const side = <Sidebar me={me.data} onGoTo={() => setOpen('go-to')} />
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        {everywhere.skip}
      </a>
      <TopBar>{side}</TopBar>
      <aside className={styles.side}>{side}</aside>
      <main id="main" tabIndex={-1}>
        <NoConnection />
        <RefusedStrip />
        <SupportBar />
        <Suspense fallback={<PageSkeleton />}>
          <Outlet />
        </Suspense>
      </main>
      <Suspense>
        {open === 'go-to' && <GoTo me={me.data} onClose={() => setOpen(null)} />}
        {open === 'shortcuts' && <Shortcuts onClose={() => setOpen(null)} />}
      </Suspense>
    </div>
  )
}

/** The frame before it is known who looks at it. */
function EmptyFrame({ children }: { readonly children: ReactNode }) {
  const head = (
    <div className={styles.switcher}>
      <Mark />
      <b>{everywhere.product}</b>
    </div>
  )
  return (
    <div className={styles.shell}>
      <header className={styles.topbar}>{head}</header>
      <aside className={styles.side}>{head}</aside>
      <main>
        <div className="page">{children}</div>
      </main>
    </div>
  )
}

type Me = NonNullable<ReturnType<typeof useMe>['data']>

/** People who wait, are restricted or have not registered have one page only. */
function useWhereItBelongs(me: Me | undefined, fault: Fault | null): OnlyPage | undefined {
  const router = useRouter()
  const page = onlyPageOf(me, fault)
  useEffect(() => {
    // Read here, because the address changes on the way to that page.
    const wanted = router.state.location.href
    if (page === '/sign-in')
      void router.navigate({ to: page, search: { step: 'factor', to: wanted }, replace: true })
    else if (page !== undefined) void router.navigate({ to: page, replace: true })
  }, [page, router])
  return page
}

type OnlyPage = '/waiting' | '/restricted' | '/welcome' | '/sign-in'

function onlyPageOf(me: Me | undefined, fault: Fault | null): OnlyPage | undefined {
  if (fault?.code === 'account_restricted') return '/restricted'
  // After a sign-in at an identity provider that is not enough for this account.
  if (fault?.code === 'second_factor_required') return '/sign-in'
  if (me === undefined) return undefined
  if (me.state === 'waiting') return '/waiting'
  return me.registered ? undefined : '/welcome'
}

/** Above every page while the console cannot be reached, with the time of what is shown. */
function NoConnection() {
  const { isReachable, answeredAt } = useConnection()
  if (isReachable) return null
  return (
    <div className={`strip warn ${styles.aboveThePage}`} role="status">
      <WifiOff size={16} aria-hidden />
      <span>
        <b>{everywhere.noAnswer}</b> {answeredAt > 0 && everywhere.asOf(formatClock(answeredAt))}
      </span>
    </div>
  )
}

export function PageSkeleton() {
  return (
    <div className="page">
      <Skeleton lines={5} />
    </div>
  )
}

/** On phones: the switcher, and the sidebar behind a button. It closes when the page changes. */
function TopBar({ children }: { readonly children: ReactNode }) {
  const drawer = useRef<HTMLDialogElement>(null)
  const path = useRouterState({ select: (state) => state.location.pathname })
  useEffect(() => drawer.current?.close(), [path])
  return (
    <header className={styles.topbar}>
      <Switcher />
      <button
        type="button"
        className="iconbtn"
        aria-label={shell.menu}
        onClick={() => drawer.current?.showModal()}
      >
        <MenuIcon size={20} aria-hidden />
      </button>
      <dialog
        ref={drawer}
        className="drawer"
        aria-label={shell.menu}
        onClick={(event) => {
          if (event.target === event.currentTarget) event.currentTarget.close()
        }}
      >
        <div className={styles.side}>{children}</div>
      </dialog>
    </header>
  )
}
