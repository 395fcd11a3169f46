import { useEffect, useState } from 'react'
import { useOrganization } from '../shell/organization.tsx'
import { addressOf } from './call.ts'
import type { LiveLimits } from './routes.ts'
import { useApi } from './use-api.ts'

/** Events come only when something changed; this finds out that Valkey cannot be asked. */
const CHECK_MS = 10_000
/** After the service refused the stream, such as for too many open tabs. */
const REOPEN_MS = 10_000

export type LimitsNow =
  | { readonly known: true; readonly limits: LiveLimits; readonly receivedAt: number }
  | { readonly known: false; readonly isLoading: boolean }

/** The limits of the organization as they change: an event stream, and a reading now and then. */
export function useLiveLimits(): LimitsNow {
  const { path } = useOrganization()
  const reading = useApi('GET /organizations/{organization}/limits', { path }, { every: CHECK_MS })
  const event = useLimitsEvents(path.organization)
  if (reading.error !== null) return { known: false, isLoading: false }
  const read =
    reading.data === undefined ? null : { limits: reading.data, receivedAt: reading.dataUpdatedAt }
  const newest =
    event === null || (read !== null && read.limits.at > event.limits.at) ? read : event
  return newest === null ? { known: false, isLoading: true } : { known: true, ...newest }
}

type Received = { readonly limits: LiveLimits; readonly receivedAt: number }

/** A hidden tab does not listen: an organization's people share a bounded number of streams. */
function useLimitsEvents(organization: string): Received | null {
  const [received, setReceived] = useState<Received | null>(null)
  useEffect(() => {
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const address = addressOf('GET /organizations/{organization}/limits/events', {
      path: { organization },
    })
    const close = () => {
      clearTimeout(timer)
      source?.close()
      source = undefined
    }
    const open = () => {
      close()
      if (document.hidden) return
      source = new EventSource(address)
      source.addEventListener('limits', ({ data }: MessageEvent<string>) =>
        setReceived({ limits: JSON.parse(data) as LiveLimits, receivedAt: Date.now() }),
      )
      // The browser connects again by itself, unless the answer was an error.
      source.addEventListener('error', () => {
        if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, REOPEN_MS)
      })
    }
    open()
    document.addEventListener('visibilitychange', open)
    return () => {
      document.removeEventListener('visibilitychange', open)
      close()
      setReceived(null)
    }
  }, [organization])
  return received
}
