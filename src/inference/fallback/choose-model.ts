import { isChatRequest } from '../../contract/check-chat-request.ts'
import { defaultOutputTokens } from '../../contract/prompt-bound.ts'
import type { Fleet } from '../../engines/fleet/fleet.ts'
import { isObject } from '../../lib/is-object.ts'
import type { Caller } from '../../tenancy/caller.ts'
import type { CallIds } from '../call-ids.ts'
import { findModel, promptTokensMax, type Catalog, type ServedModel } from '../catalog.ts'
import type { Estimate } from '../estimate.ts'
import type { ChatBody } from '../read-chat-body.ts'
import { findProblem, outputTokensOf } from '../validate.ts'

type ChooseDeps = {
  readonly catalog: Catalog
  readonly fleet: Pick<Fleet, 'isReady'>
  readonly callIds: CallIds
}

/** Which model answers a request. */
export type Choice = {
  /** Undefined if the request names no model that is served. */
  readonly served: ServedModel | undefined
  /** Whether the caller may use the model that the request names. */
  readonly isAvailable: boolean
}

/**
 * The model that answers: the one that was asked for, or while none of its engines is ready the
 * first fallback that is ready, that the caller may use and that accepts the request. Chosen before
 * admission, so that the usage record has the model and the price of the answer from its start.
 */
export function chooseModel(
  body: ChatBody,
  estimate: Estimate,
  caller: Caller,
  { catalog, fleet, callIds }: ChooseDeps,
  nowMs: number,
): Choice {
  const id = body.read && isObject(body.value) ? body.value['model'] : undefined
  const asked = typeof id === 'string' ? catalog.get(id) : undefined
  if (asked === undefined) return { served: undefined, isAvailable: false }
  const isAvailable = findModel(asked.model.id, caller, catalog, nowMs) !== undefined
  if (!isAvailable || asked.fallback.length === 0 || fleet.isReady(asked.model.id))
    return { served: asked, isAvailable }
  const fallback = asked.fallback
    .filter((other) => fleet.isReady(other))
    .map((other) => findModel(other, caller, catalog, nowMs))
    .find((other) => other && accepts(other, asked, body, estimate, caller, callIds))
  return { served: fallback ?? asked, isAvailable }
}

/** Whether a request that the asked model may accept is valid for another, and surely fits it. */
function accepts(
  served: ServedModel,
  asked: ServedModel,
  body: ChatBody,
  estimate: Estimate,
  caller: Caller,
  callIds: CallIds,
): boolean {
  // A request that no model accepts is rejected after admission, whichever would have answered.
  if (!body.read || !isChatRequest(body.value, caller.ignoredParameters)) return false
  if (findProblem(body.value, served, caller, callIds) !== undefined) return false
  const { context_length: context = Infinity } = served.model
  if (context >= (asked.model.context_length ?? Infinity)) return true
  const output = outputTokensOf(body.value) ?? defaultOutputTokens(served.model)
  return promptTokensMax(estimate, served) + output <= context
}
