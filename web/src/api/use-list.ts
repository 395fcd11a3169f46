import { useInfiniteQuery } from '@tanstack/react-query'
import { call, type Answer, type Input, type RouteName } from './call.ts'
import type { Fault } from './fault.ts'
import { readAgainAfter, useStayingFault, type Reading } from './use-reading.ts'

type Total = { readonly count: number; readonly more: boolean }
type Listed = {
  readonly data: readonly unknown[]
  readonly next: string | null
  readonly total?: Total | null
}
type ListRoute = {
  [Name in RouteName]: Answer<Name> extends Listed ? Name : never
}[RouteName]
type ItemOf<Name extends ListRoute> =
  Answer<Name> extends {
    readonly data: readonly (infer Item)[]
  }
    ? Item
    : never

export type List<Item> = {
  /** Undefined until the first page is there. */
  readonly items: readonly Item[] | undefined
  readonly error: Fault | null
  readonly isFetching: boolean
  /** When the rows on the screen were read. */
  readonly asOf: number
  /** How many there are, if the list is counted. */
  readonly total?: Total | null | undefined
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly retry: () => void
}

/** Reads a list page by page; `loadMore` adds the next one. */
export function useList<Name extends ListRoute>(
  name: Name,
  input: Omit<Input<Name>, 'signal'>,
  { enabled = true, every = false, freshFor }: Reading = {},
): List<ItemOf<Name>> {
  const query = useInfiniteQuery({
    queryKey: [name, input, 'pages'],
    enabled,
    refetchInterval: ({ state }) => readAgainAfter(state.error as Fault | null, every),
    ...(freshFor !== undefined && { staleTime: freshFor }),
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }): Promise<Listed> => {
      const { query: filters, ...rest } = input as { query?: object }
      const paged = { ...rest, query: { ...filters, after: pageParam }, signal }
      return call(name, paged as never)
    },
    getNextPageParam: (page: Listed) => page.next ?? undefined,
  })
  const error = useStayingFault({
    data: query.data,
    error: query.error as Fault | null,
    errorUpdateCount: query.errorUpdateCount,
  })
  return {
    items: query.data?.pages.flatMap((page) => page.data as ItemOf<Name>[]),
    error,
    isFetching: query.isFetching,
    asOf: query.dataUpdatedAt,
    total: query.data?.pages[0]?.total,
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  }
}
