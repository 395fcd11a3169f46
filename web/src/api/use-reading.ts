import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { call, type Answer, type Input, type RouteName } from './call.ts'
import type { Fault } from './fault.ts'

export type Reading = {
  readonly enabled?: boolean
  /** Milliseconds between two readings, for what changes by itself. */
  readonly every?: number | false
  /** Milliseconds for which an answer counts as fresh. */
  readonly freshFor?: number
}

/** Reads a route and keeps its answer; equal inputs share one call. */
export function useApi<Name extends RouteName>(
  name: Name,
  input: Omit<Input<Name>, 'signal'>,
  { enabled = true, every = false, freshFor }: Reading = {},
): UseQueryResult<Answer<Name>, Fault> {
  return useQuery<Answer<Name>, Fault>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, { ...input, signal } as Input<Name>),
    enabled,
    refetchInterval: every,
    ...(freshFor !== undefined && { staleTime: freshFor }),
  })
}
