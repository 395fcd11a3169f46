import { useQueryClient } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { forgetEverything, safeReturn } from '../../shell/session.ts'
import { tellOtherTabs } from '../../shell/tabs-of-browser.ts'

/** Where the sign-in page leads to, if it is a page of ours. */
export function useReturn(): string | undefined {
  const { to } = useSearch({ strict: false })
  return safeReturn(useRouter(), to)
}

/** Goes to where the person wanted to go. Nothing of a former session is kept. */
export function useSignedIn(): (how?: 'told') => Promise<void> {
  const queries = useQueryClient()
  const router = useRouter()
  const back = useReturn() ?? '/'
  return useCallback(
    async (how) => {
      forgetEverything(queries)
      if (how !== 'told') tellOtherTabs('signed-in')
      const { pathname, searchParams, hash } = new URL(back, location.origin)
      const search = Object.fromEntries(searchParams) as never
      await router.navigate({ to: pathname, search, hash: hash.slice(1), replace: true })
    },
    [queries, router, back],
  )
}
