import type { ChatRequest } from '../contract/chat-request.ts'
import { ApiError } from '../contract/error.ts'
import { EngineError, type Generation } from '../engines/adapters/engine.ts'
import type { Slot } from '../engines/fleet/fleet.ts'
import type { PieceBatch } from '../engines/adapters/piece.ts'
import type { ServedModel } from './catalog.ts'
import { contextExceeded } from './fit.ts'
import { startGenerationTimeouts } from './generation-timeouts.ts'
import { noCapacity } from './route.ts'

/** What an engine that says it is full has not said: when it will not be. */
const BUSY_RETRY_AFTER_MS = 1_000

/**
 * Runs a generation. As long as nothing of it has been handed on, it may begin again on another
 * engine; after that a retry would tell the client things twice. What goes wrong below comes out
 * as the error that the client is shown.
 */
export async function* generate(
  slot: Slot,
  generation: Generation,
  served: ServedModel,
  client: AbortSignal,
): AsyncGenerator<PieceBatch, void> {
  let begun = false
  let told: PieceBatch | undefined
  for (;;) {
    const check = createChoiceCheck(generation.request, slot.engine.name)
    using timeouts = startGenerationTimeouts(served.timeLimits, client, slot.engine.name)
    try {
      for await (const batch of await slot.engine.generate(generation, timeouts.signal)) {
        timeouts.received()
        slot.progressed()
        check(batch)
        begun = true
        told = batch
        if (isFinished(batch)) timeouts.finishing()
        yield batch
        timeouts.expecting()
      }
      slot.succeeded()
      return
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      if (timeouts.isOverdue && told?.progress !== undefined) {
        // It finished and was counted; only the marker is missing.
        yield { pieces: [{ type: 'usage', usage: told.progress }], progress: told.progress }
        slot.succeeded()
        return
      }
      if (!slot.failed(error, !begun)) throw apiErrorOf(error, generation.request, served)
    }
  }
}

function isFinished({ pieces }: PieceBatch): boolean {
  return pieces.at(-1)?.type === 'finish'
}

/** Engines are known to ignore a forced tool choice. A silent 200 would hide it. */
function createChoiceCheck(request: ChatRequest, engine: string): (batch: PieceBatch) => void {
  if (!mustCall(request)) return () => undefined
  let called = false
  return ({ pieces }) => {
    called ||= pieces.some((piece) => piece.type === 'tool-call')
    const stopped = pieces.some((piece) => piece.type === 'finish' && piece.reason === 'stop')
    if (stopped && !called)
      throw new EngineError('protocol', engine, 'the forced tool choice was ignored')
  }
}

function mustCall({ tool_choice: choice }: ChatRequest): boolean {
  return choice === 'required' || (typeof choice === 'object' && choice !== null)
}

function apiErrorOf(cause: EngineError, request: ChatRequest, { model }: ServedModel): ApiError {
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
