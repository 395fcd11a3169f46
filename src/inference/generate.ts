import type { ChatRequest } from '../contract/chat-request.ts'
import { ApiError } from '../contract/error.ts'
import { forcesCall } from '../engines/adapters/chat-body.ts'
import { EngineError, type Generation } from '../engines/adapters/engine.ts'
import type { Slot } from '../engines/fleet/slot.ts'
import type {
  GenerationStream,
  PieceBatch,
  OnBatch,
  TokenCounts,
} from '../engines/adapters/piece.ts'
import type { ServedModel } from './catalog.ts'
import { contextExceeded } from './fit.ts'
import { GenerationTimeouts } from './generation-timeouts.ts'
import { noCapacity } from './route.ts'

/** A busy engine does not say when it will have capacity again. */
const BUSY_RETRY_AFTER_MS = 1_000

/**
 * Runs a generation. Until the first batch it may be retried on another engine; after that a retry
 * would send content twice, and `onBegun` is called: the request is not needed any more. Errors of
 * engines are thrown as API errors.
 */
export function generate(
  slot: Slot,
  generation: Generation,
  served: ServedModel,
  client: AbortSignal,
  onBegun: () => void,
): GenerationStream {
  return (onBatch) => run(slot, generation, served, client, onBegun, onBatch)
}

async function run(
  slot: Slot,
  generation: Generation,
  served: ServedModel,
  client: AbortSignal,
  onBegun: () => void,
  onBatch: OnBatch,
): Promise<void> {
  let begun = false
  let counts: TokenCounts | undefined
  for (;;) {
    const { name } = slot.engine
    const check = forcesCall(generation.request) ? createChoiceCheck(name) : undefined
    const timeouts = new GenerationTimeouts(served.timeLimits, client, name)
    try {
      for await (const batch of await slot.generate(generation, timeouts.signal)) {
        timeouts.pauseIdle()
        slot.progressed(batch.progress)
        check?.(batch)
        if (!begun) onBegun()
        begun = true
        counts = batch.progress
        if (isFinished(batch)) timeouts.expectEnd()
        const handled = onBatch(batch)
        if (handled !== undefined) await slot.awaitClient(handled)
        timeouts.resumeIdle()
      }
      slot.succeeded()
      return
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      if (timeouts.isEndMissing && counts !== undefined) {
        // The generation finished and was counted; only the end marker is missing.
        await onBatch({ pieces: [{ type: 'usage', usage: counts }], progress: counts })
        slot.succeeded()
        return
      }
      if (!(await slot.failed(error, !begun)))
        throw toClientError(error, generation.request, served)
    } finally {
      timeouts[Symbol.dispose]()
    }
  }
}

function isFinished({ pieces }: PieceBatch): boolean {
  return pieces.at(-1)?.type === 'finish'
}

/** Some engines ignore a forced tool choice; a 200 would hide that. */
function createChoiceCheck(engine: string): (batch: PieceBatch) => void {
  let called = false
  return ({ pieces }) => {
    called ||= pieces.some((piece) => piece.type === 'tool-call')
    const stopped = pieces.some((piece) => piece.type === 'finish' && piece.reason === 'stop')
    if (stopped && !called)
      throw new EngineError('protocol', engine, 'the forced tool choice was ignored')
  }
}

function toClientError(cause: EngineError, request: ChatRequest, { model }: ServedModel): ApiError {
  switch (cause.kind) {
    case 'busy':
      return noCapacity(BUSY_RETRY_AFTER_MS, cause)
    case 'credentials':
      return new ApiError(
        'upstream_credentials_rejected',
        "The inference backend rejected the platform's own credentials. Your key is not the cause.",
        { cause },
      )
    case 'context':
      return contextExceeded(model.context_length, 'the messages are longer', cause)
    case 'schema': {
      const param = request.response_format?.type === 'json_schema' ? 'response_format' : 'tools'
      return new ApiError(
        'invalid_value',
        `'${param}' contains a JSON Schema that the inference engine does not support.`,
        { param, cause },
      )
    }
    case 'connection':
    case 'model':
    case 'protocol':
    case 'refused':
    case 'status':
    case 'transport':
      return new ApiError(
        'upstream_unavailable',
        'The inference backend failed to produce a response. Retry the request.',
        { cause },
      )
  }
}
