import { setTimeout as pause } from 'node:timers/promises'
import { traceError, type Log } from '../../../lib/log.ts'
import { forgetsReplaced } from '../../adapters/probe/check-cache.ts'
import { EngineError } from '../../adapters/engine.ts'
import { hasRoom, type Member } from '../member.ts'
import type { Place, SlotTable } from './slot-table.ts'

/** Shorter than most engines need to restart, so that a restart with other options is noticed. */
const INTERVAL_MS = 2_000
const TIMEOUT_MS = 2_000
/** How long a failed check counts. */
const FAILED_MS = 60_000

/** The check is a tenant of its own. */
const CHECK = { organizationId: '', prefix: 0, head: 0 }

/**
 * Allows an engine's cached prompts to be reused once the engine was seen to keep them apart: it
 * has the slots that we use, and a slot forgets a prompt that was replaced. Both depend on its
 * options, so an engine that was unreachable is checked again.
 */
export async function watchCache(
  member: Member,
  table: SlotTable,
  release: () => void,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const { engine } = member
  let nextCheckMs = -Infinity
  while (!signal.aborted) {
    try {
      const count = await engine.countSlots(AbortSignal.timeout(TIMEOUT_MS))
      const hasSlots = count >= engine.slots
      if (!hasSlots) table.isolated = false
      if (!table.isolated && performance.now() >= nextCheckMs) {
        const isolated = hasSlots ? await check(member, table, release) : false
        table.isolated = isolated === true
        if (isolated === false) {
          nextCheckMs = performance.now() + FAILED_MS
          log.warn({ engine: engine.name }, 'prompt caches not isolated, reusing none')
        }
      }
    } catch (error) {
      // A busy engine may answer late; one that was restarted has refused or reset a connection.
      if (!(error instanceof DOMException)) table.isolated = false
      if (!isUnreachable(error))
        log.error({ engine: engine.name, error: traceError(error) }, 'prompt cache check failed')
    }
    await pause(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Undefined if the check is not possible now. */
async function check(
  member: Member,
  table: SlotTable,
  release: () => void,
): Promise<boolean | undefined> {
  if (!(await member.lease.borrow()) || !hasRoom(member)) return undefined
  member.began()
  let place: Place | undefined
  try {
    place = table.take(CHECK)
    const { slot } = place.use
    return slot === undefined ? undefined : await forgetsReplaced(member.engine, slot)
  } finally {
    place?.release(true)
    release()
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof EngineError || error instanceof DOMException
}
