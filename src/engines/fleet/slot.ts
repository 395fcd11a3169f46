import type { Member } from './choose-engine.ts'
import { checkEngine } from './check-engine.ts'
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

/** A generation that crashed two engines is not sent to a third. */
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
  let ended = false
  let used: TokenCounts | undefined
  const releaseMember = () => {
    place?.release(ended)
    place = undefined
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
    generate(generation, signal) {
      place = current.table?.take(request)
      const onSent = () => void (sent = true)
      return current.engine.generate(generation, signal, { use: place?.use, onSent })
    },
    progressed(counts) {
      used = counts ?? used
      current.health.progressed()
      place?.progressed()
    },
    succeeded() {
      ended = true
      current.health.succeeded()
    },
    failed(error, mayMove) {
      onError(error)
      sent = false
      const isCheckDue = countFailure(current, error, request, mayMove)
      const failed = current
      const retry = mayMove && isRetryable(error) && tried.size < ENGINES_TRIED_MAX
      const other = retry ? pool.takeOther(request, tried) : undefined
      if (other === undefined) releaseShare()
      releaseMember()
      if (isCheckDue) void checkEngine(failed, () => release(failed))
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

/** Returns true if a check of the engine should decide. */
function countFailure(
  { health }: Member,
  error: EngineError,
  request: SlotRequest,
  beforeFirstPiece: boolean,
): boolean {
  if (error.kind === 'connection') health.unreachable()
  else if (isEngineFailure(error) && !isCausedBySchema(error, request, beforeFirstPiece))
    return health.failed(request.organizationId)
  return false
}

/** Bad requests and busy engines say nothing about an engine's health. */
function isEngineFailure({ kind }: EngineError): boolean {
  return ['connection', 'transport', 'status', 'protocol'].includes(kind)
}

/**
 * vLLM responds with a plain 500 to some schemas that its compiler cannot read. If that counted,
 * one client could have every engine of a model ejected.
 */
function isCausedBySchema(
  { kind }: EngineError,
  { constrained }: SlotRequest,
  beforeFirstPiece: boolean,
): boolean {
  return kind === 'status' && constrained && beforeFirstPiece
}

function isRetryable(error: EngineError): boolean {
  return isEngineFailure(error) || error.kind === 'busy' || error.kind === 'credentials'
}
