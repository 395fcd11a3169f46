import type { Fleet } from '../engines/fleet/fleet.ts'
import type { BodyBudget } from '../http/body-budget.ts'
import type { Call } from '../http/call.ts'
import { admit, type Limits } from './admit.ts'
import { answer } from './answer.ts'
import { billPrompt } from './bill-prompt.ts'
import type { CallIds } from './call-ids.ts'
import type { Catalog } from './catalog.ts'
import { chooseModel } from './fallback/choose-model.ts'
import { estimateRequest, type Estimate } from './estimate.ts'
import { fit } from './fit.ts'
import { trackUsage, type UsageLog } from './track-usage.ts'
import { generate } from './generate.ts'
import { ignoredHeaders } from './headers.ts'
import { identify, identifyAgain, type Accounts, type Identified } from './identify.ts'
import type { Refusals } from './note-refusal.ts'
import { openRecord } from './open-record.ts'
import { readChatBody, releaseContent, type ChatBody } from './read-chat-body.ts'
import { isRetained, retain, type ContentLog } from './retain.ts'
import type { RequestTrace } from './tracing/request-trace.ts'
import { locate, route } from './route.ts'
import { settle } from './settle.ts'
import type { Tracing } from './tracing/trace-requests.ts'
import { validate } from './validate.ts'

export type InferenceDeps = {
  readonly accounts: Accounts
  readonly limits: Limits
  readonly catalog: Catalog
  readonly fleet: Fleet
  readonly usageLog: UsageLog
  readonly refusals: Refusals
  /** Undefined if this service never retains content. */
  readonly contentLog: ContentLog | undefined
  readonly callIds: CallIds
  readonly bodyBytesMax: number
  readonly bodyBudget: BodyBudget
  /** Undefined if nothing is traced. */
  readonly tracing?: Tracing | undefined
}

/** POST /chat/completions from start to end. Read this first. */
export async function chatCompletion(call: Call, deps: InferenceDeps, trace?: RequestTrace) {
  const identified = await identify(call, 'chat completion', deps.accounts) // 401 403 402 409
  using body = await readChatBody(call, identified.caller.organizationId, deps)
  const estimate = estimateRequest(body)

  let asked = await ask(call, identified, body, estimate, deps) // 401 402 429 503
  while (asked.admission.kind === 'stale') {
    const again = await identifyAgain(call, 'chat completion', asked.admission, deps)
    asked = await ask(call, again, body, estimate, deps)
  }
  const { admission, choice, located } = asked
  const { caller } = admission
  using usage = trackUsage(admission, deps.usageLog, trace)

  // 400 404 413 415, 503 if there was no memory for the body
  const valid = { ...validate(body, caller, choice, deps.callIds), conversation: await located }
  const { request } = valid
  Object.assign(call.headers, ignoredHeaders(valid))
  const generation = await fit(valid, estimate, admission, deps.fleet, call.signal) // 400
  // 404 503
  using slot = await route(valid, generation, estimate, admission, deps.fleet, call.signal)

  const onBegun = () => {
    if (isRetained(caller, deps.contentLog)) return
    releaseContent(request)
    body.release()
  }
  const traced = { ...generation, trace }
  const pieces = generate(slot, traced, valid.served, call.signal, onBegun) // 502
  const settled = settle(pieces, {
    usage,
    slot,
    releaseSlot: () => slot[Symbol.dispose](),
    signal: call.signal,
    billPrompt: () => billPrompt(slot, generation, estimate),
  })
  const newCallId = (reasoned: boolean) => deps.callIds.create(caller.organizationId, reasoned)
  const retained = retain(settled, { requestId: call.id, caller, request }, deps.contentLog)
  await answer(call, request, retained, newCallId)
}

/**
 * Decides which model answers, and asks for admission with the usage record of that. Meanwhile it
 * is looked up where the conversation is.
 */
async function ask(
  call: Call,
  identified: Identified,
  body: ChatBody,
  estimate: Estimate,
  deps: InferenceDeps,
) {
  const { caller } = identified
  const choice = chooseModel(body, estimate, caller, deps, Date.now())
  const opened = openRecord(call.id, caller, body, estimate, choice.served, deps.usageLog)
  call.model = opened.model
  const located = locate(body, caller, choice.served, deps.fleet)
  const admission = await admit(call, identified, opened, estimate.inputTokens, deps)
  return { choice, admission, located }
}
