import { EngineError, type Engine } from '../../adapters/engine.ts'
import { keepText } from '../../adapters/neutralise.ts'
import { hasRoom, type Member } from '../member.ts'
import { classifyFault } from './classify-fault.ts'
import type { CheckResult } from './engine-states.ts'

/** A busy engine may read a long prompt of somebody first. */
const TIMEOUT_MS = 30_000
/** An engine that sent pieces so recently works. */
const PROGRESS_MS = 1_000
/**
 * Heartbeats, of 50 ms meanwhile. An engine that is out has one slot for all processes: if another
 * one has requests for it, each time, a single ask would find it free by chance only.
 */
const ASKS_MAX = 20

const GENERATION = {
  request: { model: 'check', messages: [{ role: 'user' as const, content: 'Hello' }] },
  outputTokensMax: 1,
  effort: undefined,
  organizationId: '',
  neutralise: keepText,
}

export type Check = {
  /** Gives the engine's slot back. */
  readonly release: () => void
  /** The engine works again; no process uses it before this is done. */
  readonly onReturning: ((engine: Engine) => Promise<void>) | undefined
}

/**
 * Decides whether an engine or a tenant's requests are broken, by one token of our own in one of
 * the engine's slots. An engine that sends pieces to anybody meanwhile works.
 */
export async function checkEngine(member: Member, { release, onReturning }: Check): Promise<void> {
  const { health } = member
  if (!(await member.lease.borrow(ASKS_MAX)) || !hasRoom(member)) {
    const works = performance.now() - health.lastProgressMs < PROGRESS_MS
    health.checked(works ? 'passed' : 'busy', 'no free slot')
    return
  }
  member.began()
  try {
    const [result, why] = await probe(member)
    if (result === 'passed' && health.view.state === 'trial') await onReturning?.(member.engine)
    health.checked(result, why)
  } finally {
    release()
  }
}

async function probe({ engine, health }: Member): Promise<[CheckResult, string]> {
  const sinceMs = performance.now()
  try {
    const batches = await engine.generate(GENERATION, AbortSignal.timeout(TIMEOUT_MS))
    for await (const { pieces } of batches) if (pieces.length > 0) break
    return ['passed', 'check passed']
  } catch (error) {
    if (error instanceof DOMException)
      return health.lastProgressMs > sinceMs ? ['passed', 'check passed'] : ['failed', 'timeout']
    if (!(error instanceof EngineError)) throw error
    const fault = classifyFault(error)
    if (fault === 'fault') return ['failed', error.kind]
    if (fault !== undefined) return [fault, fault === 'refused' ? fault : error.kind]
    // No tenant has a part in this request.
    if (error.kind === 'refused') return ['misconfigured', error.kind]
    // It read the request and answered.
    return [error.kind === 'busy' ? 'busy' : 'passed', error.kind]
  }
}
