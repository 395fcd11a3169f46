import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { call, type Answer, type Input, type RouteName } from './call.ts'
import type { Fault } from './fault.ts'

// The shell only reads, and imports that alone: what makes changes is loaded with the pages.
export { useApi } from './use-reading.ts'

/**
 * Makes a change. `refreshes` names the routes to read again after it; `'all'` reads again whatever
 * is on the screen.
 */
export function useChange<Name extends RouteName>(
  name: Name,
  refreshes: readonly RouteName[] | 'all' = [],
): UseMutationResult<Answer<Name>, Fault, Input<Name>> {
  const queries = useQueryClient()
  return useMutation<Answer<Name>, Fault, Input<Name>>({
    mutationFn: (input) => call(name, input),
    // Not awaited: what reads again may remove the row whose button was pressed, and the callbacks
    // of a component that is gone are never called.
    onSuccess: () => {
      if (refreshes === 'all') void queries.invalidateQueries()
      else for (const route of refreshes) void queries.invalidateQueries({ queryKey: [route] })
    },
  })
}
