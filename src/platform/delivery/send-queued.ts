import type { Kysely } from 'kysely'
import { traceError } from '../../lib/log.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import {
  noteDelivered,
  noteSent,
  retryLater,
  type QueuedRow,
} from '../../store/postgres/queued-rows.ts'
import type { Tables } from '../../store/postgres/tables.ts'
import type { Environment } from '../use-case/environment.ts'

/** Rows that one process sends at once. */
const BATCH = 10
/** Longer than all attempts for one row can take, so that no two processes send it at once. */
const LEASE_SECONDS = 120
/** After this time no further recipient of a row is tried in this turn. */
const TURN_MS = MINUTE_MS
const DELIVERY_TIMEOUT_MS = 15_000

const RETRY_SECONDS = 30
const RETRY_SECONDS_MAX = 3_600
/** A receiver that is down for a day gets nothing. */
const GIVEN_UP_AFTER_SECONDS = 86_400

const NOW = { delaySeconds: 0, givenUpAfterSeconds: GIVEN_UP_AFTER_SECONDS }

export type DueRow = {
  readonly row: QueuedRow
  /** Null: it is about the whole service. */
  readonly organizationId: string | null
  readonly attempts: number
  /** Recipients that have it already. */
  readonly delivered: readonly string[]
}

export type Recipient = { readonly name: string; readonly deliver: () => Promise<void> }

/** How rows are taken for as long as a lease lasts, oldest first, and who gets one. */
export type Queue<Due extends DueRow> = {
  readonly claim: (
    database: Kysely<Tables>,
    limit: number,
    leaseSeconds: number,
  ) => Promise<readonly Due[]>
  readonly recipientsOf: (environment: Environment, due: Due) => Promise<readonly Recipient[]>
}

/**
 * Sends what is due, a batch at a time. Any number of processes may do so: each takes rows that no
 * other has. A delivery is recorded at once and not repeated; a process that dies between a
 * delivery and its record causes a second one. Returns whether there may be more.
 */
export async function sendQueued<Due extends DueRow>(
  environment: Environment,
  queue: Queue<Due>,
  stopping: AbortSignal,
): Promise<boolean> {
  const due = await queue.claim(environment.database, BATCH, LEASE_SECONDS)
  await Promise.all(
    due.map(async (each) => {
      const recipientsOf = async () => queue.recipientsOf(environment, each)
      await sendRow(environment, each, recipientsOf, stopping)
    }),
  )
  return due.length === BATCH
}

async function sendRow(
  { database, log }: Environment,
  { row, organizationId, attempts, delivered }: DueRow,
  recipientsOf: () => Promise<readonly Recipient[]>,
  stopping: AbortSignal,
): Promise<void> {
  const over = AbortSignal.any([stopping, AbortSignal.timeout(TURN_MS)])
  let failed = false
  const attempt = async (act: () => Promise<void>) => {
    try {
      await act()
    } catch (error) {
      failed = true
      log.warn({ organizationId, error: traceError(error) }, 'email or webhook not delivered')
    }
  }
  await attempt(async () => {
    for (const { name, deliver } of await recipientsOf()) {
      if (delivered.includes(name)) continue
      await attempt(async () => {
        over.throwIfAborted()
        await withTimeout(deliver())
        await noteDelivered(database, row, name)
      })
    }
  })
  if (!failed) return noteSent(database, row)
  // Another process goes on at once.
  if (stopping.aborted) return void (await retryLater(database, row, NOW))
  const delaySeconds = Math.min(RETRY_SECONDS_MAX, RETRY_SECONDS * 2 ** (attempts - 1))
  const times = { delaySeconds, givenUpAfterSeconds: GIVEN_UP_AFTER_SECONDS }
  if (await retryLater(database, row, times))
    log.error({ organizationId }, 'email or webhook given up')
}

/** The attempt may still succeed afterwards, and is then repeated. */
async function withTimeout(delivery: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('timeout')), DELIVERY_TIMEOUT_MS)
  await Promise.race([delivery, promise]).finally(() => clearTimeout(timer))
}
