import { checkChatRequest } from '../contract/check-chat-request.ts'
import type { IgnorableParameter } from '../contract/ignorable-parameters.ts'
import { dropIgnored } from '../contract/ignored-parameters.ts'
import type { ChatRequest } from '../contract/chat-request.ts'
import { ApiError } from '../contract/error.ts'
import { forcesCall, needsOf } from '../engines/adapters/chat-body.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { Admission } from './admit.ts'
import { findModel, type Catalog, type ServedModel } from './catalog.ts'
import type { CallIds } from './call-ids.ts'
import type { ChatBody } from './read-chat-body.ts'

/** A valid request, with the model that it names. */
export type ValidRequest = {
  readonly request: ChatRequest
  readonly served: ServedModel
  readonly effort: string | undefined
  /** The output limit in the request, if any. */
  readonly outputTokensAsked: number | undefined
  /** Where the answer ends; undefined if the request names none, or the model ignores them. */
  readonly stopStrings: readonly string[] | undefined
  /** Parameters that the request had and that nothing is done with. */
  readonly ignored: readonly IgnorableParameter[]
}

/** Of a string in `stop`, for models that apply it. */
const STOP_LENGTH_MAX = 1_024

/**
 * 400 for anything that no model accepts, 404 for an unknown model, then 400 for the one that
 * answers: that of the opened record.
 */
export function validate(
  body: ChatBody,
  { caller, opened }: Pick<Admission, 'caller' | 'opened'>,
  catalog: Catalog,
  callIds: CallIds,
  nowMs: number,
): ValidRequest {
  if (!body.read) throw body.error
  const request = checkChatRequest(body.value, caller.ignoredParameters)
  const asked = findModel(request.model, caller, catalog, nowMs)
  const answering = catalog.get(opened?.model ?? '')
  if (asked === undefined || answering === undefined) throw modelNotFound()
  // In the body itself, so that releasing it releases the request: it may have named an alias, or a
  // model that another one answers for.
  request.model = answering.model.id
  const ignored = dropIgnored(request, caller.ignoredParameters)
  return { ...checkForModel(request, answering, caller, callIds), ignored }
}

/** Throws what is wrong with a request for this model. */
export function checkForModel(
  request: ChatRequest,
  served: ServedModel,
  caller: Caller,
  callIds: CallIds,
): Omit<ValidRequest, 'ignored'> {
  const outputTokensAsked = checkOutput(request, served)
  const effort = checkEffort(request, served)
  if (served.reasoningHistory === 'required')
    checkReasoningHistory(request, (id) => callIds.isMarked(id, caller.organizationId))
  const stopStrings = checkStop(request, served)
  checkAbilities(request, served, caller)
  return { request, served, effort, outputTokensAsked, stopStrings }
}

export function modelNotFound(): ApiError {
  return new ApiError(
    'model_not_found',
    'The model does not exist, or it is not available to your organization.',
    { param: 'model' },
  )
}

function checkOutput(request: ChatRequest, { model }: ServedModel): number | undefined {
  const param = request.max_tokens == null ? 'max_completion_tokens' : 'max_tokens'
  const asked = request[param] ?? undefined
  const most = model.max_output_tokens
  if (asked !== undefined && most !== undefined && asked > most)
    throw new ApiError('invalid_value', `'${param}' must be at most ${most} for this model.`, {
      param,
    })
  return asked
}

function checkStop(request: ChatRequest, served: ServedModel): readonly string[] | undefined {
  const { stop } = request
  if (stop === undefined || stop === null || served.stop === 'ignored') return undefined
  // An answer that ends before the call that was forced would be none.
  if (forcesCall(request)) return undefined
  const strings = typeof stop === 'string' ? [stop] : stop
  if (strings.some(({ length }) => length > STOP_LENGTH_MAX)) {
    const message = `'stop' must have at most ${STOP_LENGTH_MAX} characters for this model.`
    throw new ApiError('invalid_value', message, { param: 'stop' })
  }
  return strings
}

/** Refused before a generation that could only fail. */
function checkAbilities(request: ChatRequest, { abilitiesFor }: ServedModel, caller: Caller): void {
  const abilities = abilitiesFor(caller.organizationId)
  for (const need of needsOf(request)) {
    if (abilities?.[need] !== false) continue
    const [param, allowed] =
      need === 'tool_choice' ? ['tool_choice', 'auto or none'] : ['response_format', 'of type text']
    const message = `'${param}' must be ${allowed} for this model.`
    throw new ApiError('unsupported_value', message, { param })
  }
}

function checkEffort(request: ChatRequest, { model }: ServedModel): string | undefined {
  const asked = request.reasoning_effort ?? undefined
  const known = model.reasoning?.supported_efforts
  if (asked === undefined) return model.reasoning?.default_effort
  if (known === undefined || known.includes(asked)) return asked
  throw new ApiError(
    'unsupported_value',
    `'reasoning_effort' must be one of ${known.join(', ')} for this model.`,
    { param: 'reasoning_effort' },
  )
}

/** A step without reasoning is recognized by its marked call ids. Texts are never compared. */
function checkReasoningHistory(
  { messages }: ChatRequest,
  isMarked: (callId: string) => boolean,
): void {
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant' || typeof message.reasoning_content === 'string') continue
    if (message.tool_calls?.some(({ id }) => isMarked(id)) === true) continue
    const param = `messages[${index}].reasoning_content`
    throw new ApiError(
      'missing_required_parameter',
      `Missing required parameter: '${param}'. This model requires the reasoning of every ` +
        'earlier assistant message: send each one back unchanged.',
      { param },
    )
  }
}
