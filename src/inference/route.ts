import { crc32 } from 'node:zlib'
import type { ChatRequest } from '../contract/chat-request.ts'
import { ApiError } from '../contract/error.ts'
import type { Generation } from '../engines/adapters/engine.ts'
import { NoSuchModel, type Fleet } from '../engines/fleet/fleet.ts'
import type { Slot } from '../engines/fleet/slot.ts'
import { NoCapacity } from '../engines/fleet/model-pool.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { Estimate } from './estimate.ts'
import { retryHeaders } from './headers.ts'
import { modelNotFound, type ValidRequest } from './validate.ts'

/** Takes a slot on an engine that serves the model. Dispose of the slot to release it. */
export async function route(
  { request, outputTokensMax }: Generation,
  { served }: Pick<ValidRequest, 'served'>,
  estimate: Estimate,
  { organizationId }: Caller,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<Slot> {
  if (served.isUnknown) throw availabilityUnknown()
  const { inputTokens } = estimate
  const fairness = { priority: 'standard', weight: 1, clock: 0, running: 0 } as const
  try {
    const ask = {
      organizationId,
      inputTokens,
      outputTokensMax,
      ...fairness,
      ...prefixHashes(organizationId, request),
      constrained: isConstrained(request),
    }
    return await fleet.takeSlot(request.model, ask, signal)
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

/** The parameters of tools are schemas too. */
function isConstrained({ response_format: format, tools }: ChatRequest): boolean {
  return format?.type === 'json_schema' || (tools?.length ?? 0) > 0
}

/** Enough of a message to distinguish conversations. */
const PREFIX_CHARACTERS = 2_048

/**
 * Hashes of the messages before the first user message, and of those with it, which stay the same
 * as a conversation grows. The organization is part of them, so that the choice of an engine
 * reveals nothing about other organizations.
 */
function prefixHashes(organizationId: string, { messages }: ChatRequest) {
  let head = crc32(organizationId)
  let prefix = head
  for (const { role, content } of messages) {
    head = prefix
    const text = typeof content === 'string' ? content : JSON.stringify(content ?? '')
    prefix = crc32(text.slice(0, PREFIX_CHARACTERS), prefix)
    if (role === 'user') break
  }
  return { head, prefix }
}
