import { checkChatRequest } from '../contract/check-chat-request.ts'
import type { IgnorableParameter } from '../contract/ignorable-parameters.ts'
import { withoutIgnored } from '../contract/ignored-parameters.ts'
import type { ChatRequest } from '../contract/chat-request.ts'
import { ApiError } from '../contract/error.ts'
import { forcesCall, needsOf } from '../engines/adapters/chat-body.ts'
import type { Caller } from '../tenancy/caller.ts'
import type { ServedModel } from './catalog.ts'
import type { CallIds } from './call-ids.ts'
import type { Choice } from './fallback/choose-model.ts'
import type { ChatBody } from './read-chat-body.ts'

/** A valid request, with the model that answers it. */
export type ValidRequest = {
  /** Names the model that answers, and has nothing that is ignored. */
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
 * 400 for anything that no model accepts, 404 for a model that is not available, then 400 for the
 * one that answers.
 */
export function validate(
  body: ChatBody,
  caller: Caller,
  { served, isAvailable }: Choice,
  callIds: CallIds,
): ValidRequest {
  if (!body.read) throw body.error
  const checked = checkChatRequest(body.value, caller.ignoredParameters)
  if (served === undefined || !isAvailable) throw modelNotFound()
  const { rest, ignored } = withoutIgnored(checked, caller.ignoredParameters)
  // The client may have named an alias, or a model that another one answers for.
  const request: ChatRequest = { ...rest, model: served.model.id }
  const problem = findProblem(request, served, caller, callIds)
  if (problem !== undefined) throw problem
  return {
    request,
    served,
    effort: request.reasoning_effort ?? served.model.reasoning?.default_effort,
    outputTokensAsked: outputTokensOf(request),
    stopStrings: stopStringsOf(request, served),
    ignored,
  }
}

/** What is wrong with a request for this model. */
export function findProblem(
  request: ChatRequest,
  served: ServedModel,
  caller: Caller,
  callIds: CallIds,
): ApiError | undefined {
  const isMarked = (id: string) => callIds.isMarked(id, caller.organizationId)
  return (
    problemOfOutput(request, served) ??
    problemOfEffort(request, served) ??
    (served.reasoningHistory === 'required'
      ? problemOfReasoningHistory(request, isMarked)
      : undefined) ??
    problemOfStop(request, served) ??
    problemOfAbilities(request, served, caller)
  )
}

export function modelNotFound(): ApiError {
  return new ApiError(
    'model_not_found',
    'The model does not exist, or it is not available to your organization.',
    { param: 'model' },
  )
}

/** The output limit in a request, if any. */
export function outputTokensOf(request: ChatRequest): number | undefined {
  return request.max_tokens ?? request.max_completion_tokens ?? undefined
}

function problemOfOutput(request: ChatRequest, { model }: ServedModel): ApiError | undefined {
  const asked = outputTokensOf(request)
  const most = model.max_output_tokens
  if (asked === undefined || most === undefined || asked <= most) return undefined
  const param = request.max_tokens == null ? 'max_completion_tokens' : 'max_tokens'
  return new ApiError('invalid_value', `'${param}' must be at most ${most} for this model.`, {
    param,
  })
}

function stopStringsOf(request: ChatRequest, served: ServedModel): readonly string[] | undefined {
  const { stop } = request
  if (stop === undefined || stop === null || served.stop === 'ignored') return undefined
  // An answer that ends before the call that was forced would be none.
  if (forcesCall(request)) return undefined
  return typeof stop === 'string' ? [stop] : stop
}

function problemOfStop(request: ChatRequest, served: ServedModel): ApiError | undefined {
  const strings = stopStringsOf(request, served) ?? []
  if (strings.every(({ length }) => length <= STOP_LENGTH_MAX)) return undefined
  const message = `'stop' must have at most ${STOP_LENGTH_MAX} characters for this model.`
  return new ApiError('invalid_value', message, { param: 'stop' })
}

/** Refused before a generation that could only fail. */
function problemOfAbilities(
  request: ChatRequest,
  { abilitiesFor }: ServedModel,
  caller: Caller,
): ApiError | undefined {
  const abilities = abilitiesFor(caller.organizationId)
  const missing = needsOf(request).find((need) => abilities?.[need] === false)
  if (missing === undefined) return undefined
  const [param, allowed] =
    missing === 'tool_choice'
      ? ['tool_choice', 'auto or none']
      : ['response_format', 'of type text']
  const message = `'${param}' must be ${allowed} for this model.`
  return new ApiError('unsupported_value', message, { param })
}

function problemOfEffort(request: ChatRequest, { model }: ServedModel): ApiError | undefined {
  const asked = request.reasoning_effort ?? undefined
  const known = model.reasoning?.supported_efforts
  if (asked === undefined || known === undefined || known.includes(asked)) return undefined
  return new ApiError(
    'unsupported_value',
    `'reasoning_effort' must be one of ${known.join(', ')} for this model.`,
    { param: 'reasoning_effort' },
  )
}

/** A step without reasoning is recognized by its marked call ids. Texts are never compared. */
function problemOfReasoningHistory(
  { messages }: ChatRequest,
  isMarked: (callId: string) => boolean,
): ApiError | undefined {
  const index = messages.findIndex(
    (message) =>
      message.role === 'assistant' &&
      typeof message.reasoning_content !== 'string' &&
      message.tool_calls?.some(({ id }) => isMarked(id)) !== true,
  )
  if (index === -1) return undefined
  const param = `messages[${index}].reasoning_content`
  return new ApiError(
    'missing_required_parameter',
    `Missing required parameter: '${param}'. This model requires the reasoning of every ` +
      'earlier assistant message: send each one back unchanged.',
    { param },
  )
}
