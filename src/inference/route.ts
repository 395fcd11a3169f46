import { ApiError } from '../contract/error.ts'
import { needsOf } from '../engines/adapters/chat-body.ts'
import type { Generation } from '../engines/adapters/engine.ts'
import type { Fleet } from '../engines/fleet/fleet.ts'
import { NoSuchModel } from '../engines/fleet/queue/no-such-model.ts'
import { hashPrefixes } from '../engines/fleet/placement/hash-prefixes.ts'
import type { Slot } from '../engines/fleet/slot.ts'
import { NoCapacity } from '../engines/fleet/queue/no-capacity.ts'
import { isObject } from '../lib/is-object.ts'
import type { Caller } from '../tenancy/caller.ts'
import { shareOf } from '../tenancy/plan.ts'
import type { Admission } from './admit.ts'
import type { ServedModel } from './catalog.ts'
import type { Estimate } from './estimate.ts'
import { retryHeaders } from './headers.ts'
import type { ChatBody } from './read-chat-body.ts'
import { modelNotFound, type ValidRequest } from './validate.ts'

export type Located = {
  /** By which an engine is chosen that has the beginning of the prompt in its cache. */
  readonly conversation: ReturnType<typeof hashPrefixes>
}

/**
 * Recognizes the conversation of a request that is not validated yet, and begins to look up where
 * another process has left it. Neither throws nor rejects.
 */
export function locate(
  body: ChatBody,
  { organizationId }: Caller,
  served: ServedModel | undefined,
  fleet: Fleet,
): Located['conversation'] | Promise<Located['conversation']> {
  const messages = body.read && isObject(body.value) ? body.value['messages'] : undefined
  const model = served?.model.id ?? ''
  return fleet.locate(model, hashPrefixes(organizationId, model, messages))
}

/** Takes a slot on an engine that serves the model. Dispose of the slot to release it. */
export async function route(
  { request, served, conversation }: ValidRequest & Located,
  { outputTokensMax }: Generation,
  estimate: Estimate,
  { caller, virtualTime }: Admission,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<Slot> {
  if (served.isUnknown) throw availabilityUnknown()
  try {
    const ask = {
      inputTokens: estimate.inputTokens,
      outputTokensMax,
      weight: shareOf(caller),
      virtualTime,
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
