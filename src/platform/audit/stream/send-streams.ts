import { traceError } from '../../../lib/log.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import {
  claimStreams,
  noteStreamed,
  readWaiting,
  releaseStream,
  type WaitingEvent,
} from '../../../store/people/audit-stream-queue.ts'
import type { AuditStreamRow } from '../../../store/postgres/platform-tables.ts'
import { callWebhook, WebhookRefused } from '../../billing/webhook.ts'
import type { Environment } from '../../use-case/environment.ts'
import { sealerFor } from '../../use-case/sealers.ts'
import { viewAuditEvent } from '../view-audit-event.ts'
import { pauseIfAway } from './pause-stream.ts'

/** Streams that one process serves at once. */
const BATCH_STREAMS = 10
/** Events of a stream in memory. */
const PAGE_EVENTS = 100

/** Longer than a turn and its last call take, so that no two processes send a stream at once. */
const LEASE_SECONDS = 120
/** After this time a stream waits for its next turn, so that others get theirs. */
const TURN_MS = MINUTE_MS

const RETRY_SECONDS = 5
const RETRY_SECONDS_MAX = 3_600
/** Doubling ends long before numbers do. */
const DOUBLINGS_MAX = 12

/**
 * Sends the audit events that wait, one call for each, in order. An event is removed when its
 * receiver has confirmed it, and nothing after it is sent before: a process that dies in between
 * causes a second delivery, never a gap. Returns whether there may be more.
 */
export async function sendAuditStreams(
  environment: Environment,
  stopping: AbortSignal,
): Promise<boolean> {
  const due = await claimStreams(environment.database, BATCH_STREAMS, LEASE_SECONDS)
  await Promise.all(due.map((stream) => sendTurn(environment, stream, stopping)))
  return due.length === BATCH_STREAMS
}

async function sendTurn(
  environment: Environment,
  stream: AuditStreamRow,
  stopping: AbortSignal,
): Promise<void> {
  const { database, log } = environment
  const over = AbortSignal.any([stopping, AbortSignal.timeout(TURN_MS)])
  try {
    await sendWaiting(environment, stream, over)
    await releaseStream(database, stream, 0, null)
  } catch (error) {
    const failures = error instanceof FirstCallFailed ? stream.failures : 0
    const delaySeconds = RETRY_SECONDS * 2 ** Math.min(failures, DOUBLINGS_MAX)
    const cause = error instanceof FirstCallFailed ? error.cause : error
    await releaseStream(database, stream, Math.min(RETRY_SECONDS_MAX, delaySeconds), explain(cause))
    const organizationId = stream.organization_id ?? 'platform'
    log.warn({ organizationId, error: traceError(cause) }, 'audit event not delivered')
    await pauseIfAway(environment, stream)
  }
}

/** Nothing was delivered in this turn, so the receiver is no better than before. */
class FirstCallFailed extends Error {
  override readonly name = 'FirstCallFailed'
}

async function sendWaiting(
  { database, settings }: Environment,
  { id, url, sealed_secret: sealed }: AuditStreamRow,
  over: AbortSignal,
): Promise<void> {
  let first = true
  try {
    const secret = sealerFor(settings, 'webhook secret').open(sealed, id).toString()
    for (;;) {
      const events = await readWaiting(database, id, PAGE_EVENTS)
      for (const event of events) {
        if (over.aborted) return
        const message = { url, secret, id: `audit_${event.id}`, body: bodyOf(event) }
        await callWebhook(message, { privateHosts: settings.console.private_webhook_hosts })
        await noteStreamed(database, id, event.position)
        first = false
      }
      if (events.length < PAGE_EVENTS) return
    }
  } catch (cause) {
    throw first ? new FirstCallFailed('nothing was delivered', { cause }) : cause
  }
}

function bodyOf({ position: _position, ...event }: WaitingEvent): string {
  return JSON.stringify({
    type: 'audit_event.recorded',
    timestamp: event.made_at.toISOString(),
    data: { ...viewAuditEvent(event, true), organization_id: event.organization_id },
  })
}

/** What owners read: nothing about networks that they do not see themselves. */
function explain(error: unknown): string {
  return error instanceof WebhookRefused ? error.message : 'the receiver could not be reached'
}
