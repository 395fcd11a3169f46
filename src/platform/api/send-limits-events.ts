import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '../../contract/error.ts'
import type { LiveLimits } from '../../contract/management/usage.ts'
import type { Call } from '../../http/call.ts'
import { openEventStream } from '../../http/event-stream.ts'
import type { LimitsWatch } from '../usage/watch-limits.ts'
import { createPlaces, type Places } from './places.ts'

/** An event at most this often, and only if something changed. */
const INTERVAL_MS = 1_000

/** A session that ended, or a right that was lost, ends the stream within this time. */
const RENEW_MS = 10_000

/** Each costs a call to Valkey per interval. Further ones get 503. */
const STREAMS_MAX = 500

/** Of one session or management key: a few browser tabs. Further ones get 429. */
const STREAMS_PER_WATCHER_MAX = 4
/** Of one organization, which must not take the places of others. Further ones get 429. */
const STREAMS_PER_ORGANIZATION_MAX = 20

const RETRY_HEADERS = { 'retry-after': '10' }

type Options = {
  readonly streamsMax?: number
  readonly renewMs?: number
  readonly intervalMs?: number
}

/** Sends the limits of an organization as server-sent events. */
export function createLimitsEvents({
  streamsMax = STREAMS_MAX,
  renewMs = RENEW_MS,
  intervalMs = INTERVAL_MS,
}: Options = {}): (watch: LimitsWatch, call: Call) => Promise<void> {
  const ofOrganizations = createPlaces(streamsMax, STREAMS_PER_ORGANIZATION_MAX)
  const ofWatchers = createPlaces(streamsMax, STREAMS_PER_WATCHER_MAX)
  return async (watch, call) => {
    using _watchers = taken(ofWatchers.take(watch.watcher), STREAMS_PER_WATCHER_MAX)
    using _all = taken(ofOrganizations.take(watch.organizationId), STREAMS_PER_ORGANIZATION_MAX)
    await send(watch, call, { renewMs, intervalMs })
  }
}

function taken(place: ReturnType<Places['take']>, ownMax: number): Disposable {
  if (typeof place === 'object') return place
  throw place === 'all'
    ? new ApiError('service_unavailable', 'Too many event streams are open.', {
        headers: RETRY_HEADERS,
      })
    : new ApiError('rate_limit_exceeded', `At most ${ownMax} event streams may be open at once.`, {
        headers: RETRY_HEADERS,
      })
}

async function send(
  watch: LimitsWatch,
  call: Call,
  { renewMs, intervalMs }: Pick<Required<Options>, 'renewMs' | 'intervalMs'>,
): Promise<void> {
  const { signal } = call
  let limits: LiveLimits | undefined = await watch.read()
  using stream = openEventStream(call, { comment: () => ': still open\n\n' })
  let sent = ''
  let renewedMs = performance.now()
  while (!signal.aborted) {
    const state = limits === undefined ? sent : stateOf(limits)
    if (limits !== undefined && state !== sent) {
      sent = state
      const event = `event: limits\ndata: ${JSON.stringify(limits)}\n\n`
      if (!stream.write(event)) await stream.drained()
    }
    if (!(await passes(intervalMs, signal))) break
    if (performance.now() - renewedMs >= renewMs) {
      if (!(await isRenewed(watch))) break
      renewedMs = performance.now()
    }
    // While Valkey does not answer there is nothing to send.
    limits = await watch.read().catch(() => undefined)
  }
  stream.end('')
}

/** What must differ for another event: when a limit is full again, not how long that takes. */
function stateOf({ at, ...limits }: LiveLimits): string {
  const atMs = Date.parse(at)
  return JSON.stringify(limits, (name, value: unknown) =>
    name === 'reset_ms' && value !== 0 ? atMs + Number(value) : value,
  )
}

/** False if the exchange ended before. */
async function passes(ms: number, signal: AbortSignal): Promise<boolean> {
  return pause(ms, true, { signal }).catch(() => false)
}

/** False whatever the reason: without a confirmed right nothing more is sent. */
async function isRenewed(watch: LimitsWatch): Promise<boolean> {
  return watch.renew().then(
    () => true,
    () => false,
  )
}
