import type { Fault } from '../api/fault.ts'
import type { StartSso } from '../api/routes.ts'
import { useChange } from '../api/use-api.ts'

/** Goes to an identity provider. It is another site, so the page is left. */
export function useProvider(): {
  readonly fault: Fault | null
  readonly busy: boolean
  readonly goTo: (connection: string, body: StartSso) => void
} {
  const start = useChange('POST /sso/{connection}/start')
  return {
    fault: start.error,
    busy: start.isPending,
    goTo: (connection, body) =>
      start.mutate(
        { path: { connection }, body },
        { onSuccess: (started) => location.assign(started.location) },
      ),
  }
}
