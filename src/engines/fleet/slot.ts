import type { Member } from './choose-engine.ts'
import { classifyFault } from './classify-fault.ts'
import type { EngineHealth } from './engine-health.ts'
import { EngineError, type Engine, type Generation } from '../adapters/engine.ts'
import type { PieceBatch, TokenCounts } from '../adapters/piece.ts'
import type { ModelPool, SlotRequest, Taken } from './model-pool.ts'
import type { Place } from './slot-table.ts'

/** The right to run one generation. Disposing it releases the slot. */
export type Slot = Disposable & {
  /** The current engine; it changes when the slot moves. */
  readonly engine: Engine
  /** The clock from which its use counts, for the settlement. */
  readonly lift: number
  /** How many engines it has been on. */
  readonly attempts: number
  /** Whether the current engine has the whole request and did not fail: it has begun the prompt. */
  readonly isSent: boolean
  /** Starts the generation on the current engine. */
  generate(generation: Generation, signal: AbortSignal): Promise<AsyncIterable<PieceBatch>>
  /** The engine sent pieces, and its counts so far if it reports them. */
  progressed(counts?: TokenCounts): void
  succeeded(): void
  /**
   * Reports an error. With `mayMove`, while nothing has been sent to the client, the generation
   * can be retried: returns true if the slot has moved to another engine, at most once.
   */
  failed(error: EngineError, mayMove: boolean): boolean
}

/** A generation that crashed two engines is not sent to a third; wrong settings are no crash. */
const ENGINES_TRIED_MAX = 2

export type SlotEvents = {
  /** A generation on the engine ended. */
  readonly release: (member: Member) => void
  readonly onError: (error: EngineError) => void
}

export function createSlot(
  pool: ModelPool,
  request: SlotRequest,
  { member: first, lift, cost }: Taken,
  { release, onError }: SlotEvents,
): Slot {
  let member: Member | undefined = first
  let current = first
  let sent = false
  const tried = new Set([first])
  let place: Place | undefined
  let used: TokenCounts | undefined
  let failures = 0
  const answer = createAnswerWatch(request.organizationId)
  const releasePlace = (ended: boolean) => {
    place?.release(ended)
    place = undefined
  }
  const releaseMember = () => {
    releasePlace(false)
    if (member !== undefined) release(member)
    member = undefined
  }
  const releaseShare = () => {
    if (member !== undefined) pool.released(request, cost, used)
  }
  return {
    lift,
    get engine() {
      return current.engine
    },
    get attempts() {
      return tried.size
    },
    get isSent() {
      return sent
    },
    async generate(generation, signal) {
      const taken = current.table?.take(request)
      // Only a table that processes share is awaited.
      place = taken instanceof Promise ? await taken : taken
      const onSent = () => void (sent = true)
      answer.began()
      return current.engine.generate(generation, signal, { use: place?.use, onSent })
    },
    progressed(counts) {
      answer.progressed(current.health, counts)
      used = counts ?? used
      place?.progressed()
    },
    succeeded() {
      // Before the client knows: its next request may come through another process.
      releasePlace(true)
      current.health.succeeded()
    },
    failed(error, mayMove) {
      onError(error)
      sent = false
      current.health.failed(error, request.organizationId)
      const isFree = classifyFault(error) === 'misconfigured'
      if (!isFree) failures += 1
      const retry = mayMove && isRetryable(error) && failures < ENGINES_TRIED_MAX
      const other = retry ? pool.takeOther(request, tried, isFree) : undefined
      if (other === undefined) releaseShare()
      releaseMember()
      if (other === undefined) return false
      tried.add(other)
      member = other
      current = other
      return true
    },
    [Symbol.dispose]() {
      releaseShare()
      releaseMember()
    },
  }
}

/** Reports progress, and how long an engine took to its first pieces. */
function createAnswerWatch(organizationId: string) {
  let beganMs: number | undefined
  return {
    began: () => void (beganMs = performance.now()),
    progressed(health: EngineHealth, counts: TokenCounts | undefined): void {
      health.progressed()
      if (beganMs === undefined) return
      const uncachedTokens = counts && counts.promptTokens - counts.cachedTokens
      health.answered(performance.now() - beganMs, uncachedTokens, organizationId)
      beganMs = undefined
    },
  }
}

function isRetryable(error: EngineError): boolean {
  return classifyFault(error) !== undefined || error.kind === 'busy'
}
