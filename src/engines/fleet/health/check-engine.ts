import { EngineError, type Engine } from '../../adapters/engine.ts'
import { keepText } from '../../adapters/neutralise.ts'
import { hasRoom, type Member } from '../member.ts'
import { classifyFault } from './classify-fault.ts'
import { isFailing } from './engine-health.ts'
import type { CheckResult } from './engine-states.ts'

/** A busy engine may read a long prompt of somebody first. */
const TIMEOUT_MS = 30_000
/** An engine that sent pieces so recently works. */
const PROGRESS_MS = 1_000

const GENERATION = {
  request: { model: 'check', messages: [{ role: 'user' as const, content: 'Hello' }] },
  outputTokensMax: 1,
  effort: undefined,
  organizationId: '',
  neutralise: keepText,
}

type Pool = { readonly members: readonly Member[] }

export type Check = {
  /** Gives the engine's slot back. */
  readonly release: () => void
  /** Those that the engine is in. */
  readonly pools: () => readonly Pool[]
  /** The engine works again; no process uses it before this is done. */
  readonly onReturning: ((engine: Engine) => Promise<void>) | undefined
}

/**
 * Decides whether an engine or a tenant's requests are broken, by one token of our own in one of
 * the engine's slots. An engine that sends pieces to anybody meanwhile works.
 */
export async function checkEngine(
  member: Member,
  { release, pools, onReturning }: Check,
): Promise<void> {
  const { health } = member
  if (!(await member.lease.borrow()) || !hasRoom(member)) {
    const works = performance.now() - health.lastProgressMs < PROGRESS_MS
    health.checked(works ? 'passed' : 'busy', 'no free slot', false)
    return
  }
  member.began()
  try {
    const [result, why] = await probe(member)
    if (result === 'passed' && health.view.state === 'trial') await onReturning?.(member.engine)
    health.checked(result, why, !isEjectable(member, pools()))
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

/**
 * At most half of a pool, and at least one, is ejected for failed checks. Engines that refuse
 * connections are of no use anyway.
 */
function isEjectable(member: Member, pools: readonly Pool[]): boolean {
  return pools.every(({ members }) => {
    const ejected = members.filter((other) => other !== member && isFailing(other.health.view))
    return ejected.length + 1 <= Math.max(1, Math.floor(members.length / 2))
  })
}
