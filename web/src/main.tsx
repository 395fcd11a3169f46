// First, so that the styles of pages and parts come after those that they refine.
import 'uplot/dist/uPlot.min.css'
import './styles/main.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { onFault } from './api/call.ts'
import { onReachableAgain } from './api/connection.ts'
import { Fault } from './api/fault.ts'
import { router } from './router.ts'
import { hasWork } from './shell/leave-document.ts'
import { askToSignIn } from './shell/session-ended.tsx'
import { accountShown, forgetEverything } from './shell/session.ts'
import { onOtherTab } from './shell/tabs-of-browser.ts'
import { applyTheme } from './shell/theme.ts'

const FRESH_MS = 10_000
const RETRIES = 2
const NEEDS_NO_SESSION = new Set([
  '/sign-in',
  '/sign-up',
  '/verify',
  '/reset',
  '/join',
  '/explained',
  '/restricted',
])

applyTheme()

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // An outage may pass; every other error is an answer.
      retry: (count, error) => error instanceof Fault && error.isOutage && count < RETRIES,
      // Without a network a reading fails and says so, instead of waiting in silence.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
})

/** The only place that leads to the sign-in page; many calls may fail at once. */
function leadToSignIn(): void {
  const { pathname, href } = router.state.location
  if (NEEDS_NO_SESSION.has(pathname)) return
  forgetEverything(queries)
  const isStart = pathname === '/'
  void router.navigate({ to: '/sign-in', search: isStart ? {} : { to: href }, replace: true })
}

onFault.noSession = () => {
  const known = accountShown(queries)
  const needsSession = !NEEDS_NO_SESSION.has(router.state.location.pathname)
  if (needsSession && known !== undefined && hasWork()) return askToSignIn.again(known)
  leadToSignIn()
  return Promise.resolve(false)
}

onReachableAgain.call = () => void queries.invalidateQueries()
addEventListener('online', onReachableAgain.call)

// Somebody who signs out means all tabs, whatever is typed there.
onOtherTab('signed-out', leadToSignIn)

// A page from the browser's cache for the back button may be that of a session which has ended.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
