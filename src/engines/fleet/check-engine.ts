import { EngineError } from '../adapters/engine.ts'
import { keepText } from '../adapters/neutralise.ts'
import { hasRoom, type Member } from './choose-engine.ts'

/** A busy engine may read a long prompt of somebody first. */
const TIMEOUT_MS = 30_000

const GENERATION = {
  request: { model: 'check', messages: [{ role: 'user' as const, content: 'Hello' }] },
  outputTokensMax: 1,
  effort: undefined,
  organizationId: '',
  neutralise: keepText,
}

/**
 * Decides whether an engine or a tenant's requests are broken, by one token of our own in one of
 * the engine's slots. An engine that sends pieces to anybody meanwhile works.
 */
export async function checkEngine(member: Member, release: () => void): Promise<void> {
  const { engine, health } = member
  if (!hasRoom(member)) return
  const sinceMs = performance.now()
  member.began()
  try {
    const batches = await engine.generate(GENERATION, AbortSignal.timeout(TIMEOUT_MS))
    for await (const { pieces } of batches) if (pieces.length > 0) break
    health.succeeded()
  } catch (error) {
    const isTimeout = error instanceof DOMException
    if (!isTimeout && !(error instanceof EngineError)) throw error
    if (isTimeout && health.lastProgressMs > sinceMs) health.succeeded()
    else health.failedCheck()
  } finally {
    release()
  }
}
