import type { QueryClient } from '@tanstack/react-query'
import type { AnyRouter } from '@tanstack/react-router'
import { call, type Answer } from '../api/call.ts'
import { BASE } from '../api/place.ts'
import { useApi } from '../api/use-reading.ts'
import { leaveFor } from './leave-document.ts'
import { tellOtherTabs } from './tabs-of-browser.ts'

const FRESH_MS = 60_000

/** Who is signed in. */
export function useMe() {
  return useApi('GET /me', {}, { freshFor: FRESH_MS })
}

/** The person whose pages this tab shows, as it was last read. */
export function accountShown(queries: QueryClient): Answer<'GET /me'> | undefined {
  return queries.getQueryData<Answer<'GET /me'>>(['GET /me', {}])
}

/** Forgets everything that was read: after signing out, nothing of it may be shown again. */
export function forgetEverything(queries: QueryClient): void {
  queries.cancelQueries().catch(() => {})
  queries.clear()
}

/** Ends the session here and in the other tabs, even if the console cannot be reached. */
export async function endSession(): Promise<void> {
  await call('DELETE /sessions/current', {}).catch(() => {})
  tellOtherTabs('signed-out')
}

/**
 * Ends the session and opens the sign-in page as a new document: nothing of the person is left in
 * memory, whatever was still being read.
 */
export async function signOut(): Promise<void> {
  await endSession()
  leaveFor(`${BASE}/sign-in`)
}

/** The page to go to after signing in, if it is one of ours: exactly one slash at the beginning. */
export function safeReturn(router: AnyRouter, to: string | undefined): string | undefined {
  if (to === undefined || !to.startsWith('/') || to.startsWith('//')) return undefined
  if (to.includes('\\')) return undefined
  const { pathname } = new URL(to, location.origin)
  if (pathname === '/sign-in') return undefined
  return router.getMatchedRoutes(pathname)[2] === undefined ? undefined : to
}
