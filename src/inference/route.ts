import { crc32 } from 'node:zlib'
import type { ChatRequest } from '../contract/chat-request.ts'
import { ApiError } from '../contract/error.ts'
import type { Generation } from '../engines/adapters/engine.ts'
import type { Fleet, Slot } from '../engines/fleet/fleet.ts'
import { NoCapacity } from '../engines/fleet/model-pool.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { Estimate } from './estimate.ts'
import { retryHeaders } from './headers.ts'

/** Takes a slot on an engine that serves the model. Give it back by disposing of it. */
export async function route(
  { request, outputTokensMax }: Generation,
  estimate: Estimate,
  { organizationId }: Caller,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<Slot> {
  const tokens = estimate.inputTokens + outputTokensMax
  const prefix = prefixOf(organizationId, request)
  const constrained = isConstrained(request)
  try {
    const ask = { organizationId, tokens, prefix, constrained }
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

/** Parameters of a tool are a schema as well. */
function isConstrained({ response_format: format, tools }: ChatRequest): boolean {
  return format?.type === 'json_schema' || (tools?.length ?? 0) > 0
}

/** As much of a message as tells a conversation from others. */
const PREFIX_CHARACTERS = 2_048

/**
 * What a conversation begins with, up to the first word of its user: that never changes as it goes
 * on. Only an organization's own conversations share a prefix, so caches tell nothing of others.
 */
function prefixOf(organizationId: string, { messages }: ChatRequest): number {
  let prefix = crc32(organizationId)
  for (const { role, content } of messages) {
    const text = typeof content === 'string' ? content : JSON.stringify(content ?? '')
    prefix = crc32(text.slice(0, PREFIX_CHARACTERS), prefix)
    if (role === 'user') break
  }
  return prefix
}
