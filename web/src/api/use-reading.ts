import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
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
  const query = useQuery<Answer<Name>, Fault>({
    queryKey: [name, input],
    queryFn: ({ signal }) => call(name, { ...input, signal } as Input<Name>),
    enabled,
    refetchInterval: ({ state }) => readAgainAfter(state.error, every),
    ...(freshFor !== undefined && { staleTime: freshFor }),
  })
  const error = useStayingFault(query)
  return error === query.error ? query : ({ ...query, error } as UseQueryResult<never, Fault>)
}

/** After an outage a reading is tried again by itself, so that nobody has to reload the page. */
const AFTER_OUTAGE_MS = 5_000

export function readAgainAfter(fault: Fault | null, every: number | false): number | false {
  if (fault?.isOutage !== true) return every
  return every === false ? AFTER_OUTAGE_MS : Math.min(every, AFTER_OUTAGE_MS)
}

/** The fault of a reading without a value stays while it is tried again. */
export function useStayingFault({
  data,
  error,
  errorUpdateCount,
}: {
  readonly data: unknown
  readonly error: Fault | null
  readonly errorUpdateCount: number
}): Fault | null {
  const [last, setLast] = useState<Fault | null>(null)
  if (error !== null && error !== last) setLast(error)
  const isTriedAgain = error === null && data === undefined && errorUpdateCount > 0
  return isTriedAgain ? last : error
}
