import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { useApi } from '../api/use-reading.ts'
import { tellOtherTabs } from './tabs-of-browser.ts'

const FRESH_MS = 60_000

/** Who is signed in. */
export function useMe() {
  return useApi('GET /me', {}, { freshFor: FRESH_MS })
}

/** Forgets everything that was read: after signing out, nothing of it may be shown again. */
export function forgetEverything(queries: QueryClient): void {
  queries.cancelQueries().catch(() => {})
  queries.clear()
}

/** Signs out here and in the other tabs, even if the console cannot be reached. */
export async function signOut(queries: QueryClient): Promise<void> {
  await call('DELETE /sessions/current', {}).catch(() => {})
  forgetEverything(queries)
  tellOtherTabs('signed-out')
}

/** The page to go to after signing in, if it is one of ours: exactly one slash at the beginning. */
export function safeReturn(router: AnyRouter, to: string | undefined): string | undefined {
  if (to === undefined || !to.startsWith('/') || to.startsWith('//')) return undefined
  if (to.includes('\\')) return undefined
  const { pathname } = new URL(to, location.origin)
  if (pathname === '/sign-in') return undefined
  return router.getMatchedRoutes(pathname)[2] === undefined ? undefined : to
}
