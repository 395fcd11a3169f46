import type { ChatRequest } from '../contract/chat-request.ts'
import { ApiError } from '../contract/error.ts'
import type { Generation } from '../engines/adapters/engine.ts'
import type { Fleet } from '../engines/fleet/fleet.ts'
import type { Slot } from '../engines/fleet/slot.ts'
import { NoCapacity } from '../engines/fleet/model-pool.ts'
import type { Admission } from './admit.ts'
import type { Estimate } from './estimate.ts'
import { retryHeaders } from './headers.ts'
import { hashPrefixes } from '../engines/fleet/placement/hash-prefixes.ts'

/** Takes a slot on an engine that serves the model. Dispose of the slot to release it. */
export async function route(
  { request, outputTokensMax }: Generation,
  estimate: Estimate,
  { caller, clock, running }: Admission,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<Slot> {
  const { organizationId, weight, priority } = caller
  try {
    const ask = {
      inputTokens: estimate.inputTokens,
      outputTokensMax,
      weight,
      priority,
      clock,
      running,
      ...hashPrefixes(organizationId, request),
      constrained: isConstrained(request),
    }
    return await fleet.takeSlot(request.model, ask, signal)
  } catch (error) {
    throw error instanceof NoCapacity ? noCapacity(error.retryAfterMs, error) : error
  }
}

export function noCapacity(retryAfterMs: number, cause?: unknown): ApiError {
  return new ApiError(
    'infrastructure_rate_limit_exceeded',
    'Inference capacity is temporarily unavailable. Retry after the indicated delay.',
    { cause, headers: retryHeaders(retryAfterMs, true) },
  )
}

/** The parameters of tools are schemas too. */
function isConstrained({ response_format: format, tools }: ChatRequest): boolean {
  return format?.type === 'json_schema' || (tools?.length ?? 0) > 0
}
