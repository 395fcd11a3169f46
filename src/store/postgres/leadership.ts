import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { exponentialBackoffMs } from '../../lib/backoff.ts'
import { CONNECTION_TIMEOUT_MS } from './postgres.ts'

/** Heartbeats of the leader, and attempts of the others to become it. */
const BEAT_MS = 2_000

/** A leader without a reply for this long stops: well before the server gives up on it. */
const REPLY_TIMEOUT_MS = 3_000

/** The server ends a session without heartbeats after this time, which frees its lock. */
const SILENCE_MS_MAX = 10_000

const BACKOFF_MS = 250
const BACKOFF_MS_MAX = 10_000

/** Distinguishes our advisory lock from others in the same database. */
const LOCK_CLASS = 1_213_415_254

const LOCK = `select pg_try_advisory_lock(${LOCK_CLASS}, 0) as locked`

/**
 * Runs `lead` while this process is the leader: while its session has an advisory lock. Another
 * process takes over within `BEAT_MS` after the leader's connection closed, and within
 * `SILENCE_MS_MAX + BEAT_MS` after it fell silent. The signal that `lead` receives ends a term; a
 * leader that is frozen may notice late, so two leaders at once must do no harm. Resolves when
 * `signal` is aborted and `lead` has ended.
 */
export async function whileLeader(
  url: string,
  signal: AbortSignal,
  lead: (term: AbortSignal) => Promise<void>,
): Promise<void> {
  for (let failures = 0; !signal.aborted;) {
    try {
      await runSession(url, signal, lead, () => (failures = 0))
    } catch {
      // The jobs report an unavailable server; here it only means that nobody leads.
      failures += 1
      const delayMs = exponentialBackoffMs(failures, BACKOFF_MS, BACKOFF_MS_MAX)
      await pause(delayMs, undefined, { signal }).catch(() => {})
    }
  }
}

async function runSession(
  url: string,
  signal: AbortSignal,
  lead: (term: AbortSignal) => Promise<void>,
  onReply: () => void,
): Promise<void> {
  // Destroying the socket frees the lock at once, also while a reply is outstanding.
  const socket = new Socket()
  const client = new Client({
    connectionString: url,
    application_name: 'headrace leader',
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: REPLY_TIMEOUT_MS,
    keepAlive: true,
    stream: () => socket,
  })
  const lost = new AbortController()
  client.on('error', () => lost.abort())
  client.on('end', () => lost.abort())
  const over = AbortSignal.any([signal, lost.signal])
  let term: Promise<void> | undefined
  try {
    await client.connect()
    await client.query(`set idle_session_timeout = ${SILENCE_MS_MAX}`)
    while (!over.aborted) {
      if (term !== undefined) await client.query('select 1')
      else if ((await client.query<{ locked: boolean }>(LOCK)).rows[0]?.locked === true)
        term = lead(over)
      onReply()
      await pause(BEAT_MS, undefined, { signal: over }).catch(() => {})
    }
  } finally {
    lost.abort()
    socket.destroy()
    await term
  }
  if (!signal.aborted) throw new Error('the session was lost')
}
