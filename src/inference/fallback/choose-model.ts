import { ApiError } from '../../contract/error.ts'
import { checkChatRequest } from '../../contract/check-chat-request.ts'
import { defaultOutputTokens } from '../../contract/prompt-bound.ts'
import type { Fleet } from '../../engines/fleet/fleet.ts'
import { isObject } from '../../lib/is-object.ts'
import type { Caller } from '../../tenancy/caller.ts'
import type { CallIds } from '../call-ids.ts'
import { findModel, promptTokensMax, type Catalog, type ServedModel } from '../catalog.ts'
import type { Estimate } from '../estimate.ts'
import type { ChatBody } from '../read-chat-body.ts'
import { checkForModel } from '../validate.ts'

type ChooseDeps = {
  readonly catalog: Catalog
  readonly fleet: Pick<Fleet, 'isReady'>
  readonly callIds: CallIds
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
): ServedModel | undefined {
  const id = body.read && isObject(body.value) ? body.value['model'] : undefined
  const asked = typeof id === 'string' ? catalog.get(id) : undefined
  if (asked === undefined || asked.fallback.length === 0) return asked
  if (
    fleet.isReady(asked.model.id) ||
    findModel(asked.model.id, caller, catalog, nowMs) === undefined
  )
    return asked
  for (const other of asked.fallback) {
    const served = findModel(other, caller, catalog, nowMs)
    if (served === undefined || !fleet.isReady(other)) continue
    if (accepts(served, asked, body, estimate, caller, callIds)) return served
  }
  return asked
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
  if (!body.read) return false
  try {
    const request = checkChatRequest(body.value, caller.ignoredParameters)
    const { outputTokensAsked: output } = checkForModel(request, served, caller, callIds)
    const { context_length: context = Infinity } = served.model
    if (context >= (asked.model.context_length ?? Infinity)) return true
    return (
      promptTokensMax(estimate, served) + (output ?? defaultOutputTokens(served.model)) <= context
    )
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
