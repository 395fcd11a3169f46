import { ApiError } from '../contract/error.ts'
import { needsOf } from '../engines/adapters/chat-body.ts'
import type { Generation } from '../engines/adapters/engine.ts'
import { NoSuchModel, type Fleet } from '../engines/fleet/fleet.ts'
import type { Slot } from '../engines/fleet/slot.ts'
import { NoCapacity } from '../engines/fleet/queue/no-capacity.ts'
import { shareOf } from '../tenancy/plan.ts'
import type { Admission } from './admit.ts'
import type { Estimate } from './estimate.ts'
import { retryHeaders } from './headers.ts'
import { modelNotFound, type ValidRequest } from './validate.ts'

/** Takes a slot on an engine that serves the model. Dispose of the slot to release it. */
export async function route(
  { request, served, conversation }: ValidRequest,
  { outputTokensMax }: Generation,
  estimate: Estimate,
  { caller, clock }: Admission,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<Slot> {
  if (served.isUnknown) throw availabilityUnknown()
  try {
    const ask = {
      inputTokens: estimate.inputTokens,
      outputTokensMax,
      weight: shareOf(caller),
      clock,
      needs: needsOf(request),
      ...conversation,
    }
    return await fleet.takeSlot(served.model.id, ask, signal)
  } catch (error) {
    if (error instanceof NoSuchModel) throw modelNotFound()
    throw error instanceof NoCapacity ? noCapacity(error.retryAfterMs, error) : error
  }
}

/** Sources of engines are read every few seconds. */
const UNKNOWN_RETRY_AFTER_MS = 2_000

function availabilityUnknown(): ApiError {
  return new ApiError(
    'model_availability_unavailable',
    'It is temporarily unknown whether the model is available. Retry after the indicated delay.',
    { headers: retryHeaders(UNKNOWN_RETRY_AFTER_MS, true) },
  )
}

export function noCapacity(retryAfterMs: number, cause?: unknown): ApiError {
  return new ApiError(
    'infrastructure_rate_limit_exceeded',
    'Inference capacity is temporarily unavailable. Retry after the indicated delay.',
    { cause, headers: retryHeaders(retryAfterMs, true) },
  )
}
