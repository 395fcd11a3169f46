import { Compile } from 'typebox/compile'
import { isObject } from '../lib/is-object.ts'
import { JSON_ERRORS, JSON_TOKENS_MAX, parseJson, type ParsedJson } from '../lib/parse-json.ts'
import { shortenJson } from '../lib/shorten-json.ts'
import { ChatRequest } from './chat-request.ts'
import { ApiError, type ErrorName } from './error.ts'
import { findViolation, type Violation } from './find-violation.ts'
import { violationError } from './check-value.ts'
import { joinIgnored, type IgnorableParameter } from './ignorable-parameters.ts'
import { IgnoredParameters, splitIgnored } from './ignored-parameters.ts'
import { checkJsonSchemas } from './json-schema/check-json-schemas.ts'

const compiled = Compile(ChatRequest)
const compiledIgnored = Compile(IgnoredParameters)

/**
 * Checks the rules that apply to all models. Throws an ApiError for the first violation.
 * `ignorable`: what the caller may send although nothing is done with it; it is checked, and stays
 * in the request.
 */
export function checkChatRequest(
  body: unknown,
  ignorable: readonly IgnorableParameter[] = [],
): ChatRequest {
  if (!isObject(body)) throw new ApiError('invalid_json', 'The request body must be a JSON object.')
  const { rest, ignored } = splitIgnored(body, ignorable)
  if (!compiled.Check(rest)) throw rejection(findViolation(ChatRequest, rest))
  if (!compiledIgnored.Check(ignored))
    throw violationError(findViolation(IgnoredParameters, ignored))
  const request = body as ChatRequest
  checkCombinations(request)
  const messages = checkMessages(request.messages)
  checkSchemas(request)
  return messages === request.messages ? request : { ...request, messages }
}

/** Whether the members of a body have the right types; rules that combine them are not checked. */
export function isChatRequest(
  body: unknown,
  ignorable: readonly IgnorableParameter[],
): body is ChatRequest {
  return isObject(body) && compiled.Check(splitIgnored(body, ignorable).rest)
}

/** Names the setting that would let the request pass, if there is one. */
function rejection(violation: Violation | undefined): ApiError {
  const error = violationError(violation)
  if (error.kind !== 'unsupported_parameter' || joinIgnored([error.param ?? '']).length === 0)
    return error
  return new ApiError(error.kind, `${error.message} ${IGNORE_IT}`, { param: error.param })
}

const IGNORE_IT =
  "To have it ignored, add it to 'ignored_parameters' of the API key or of the plan."

function invalid(param: string, must: string): ApiError {
  const kind: ErrorName = 'invalid_value'
  return new ApiError(kind, `'${param}' ${must}.`, { param })
}

function isSet<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined
}

function checkCombinations(body: ChatRequest): void {
  if (isSet(body.max_tokens) && isSet(body.max_completion_tokens))
    throw invalid('max_tokens', "cannot be set together with 'max_completion_tokens'")
  if (isSet(body.stream_options) && body.stream !== true)
    throw invalid('stream_options', "is allowed only together with 'stream': true")
  if (isSet(body.parallel_tool_calls) && !isSet(body.tools))
    throw invalid('parallel_tool_calls', "is allowed only when 'tools' is supplied")
  checkToolChoice(body)
}

function checkToolChoice({ tool_choice: choice, tools }: ChatRequest): void {
  if (!isSet(choice)) return
  if (!isSet(tools)) throw invalid('tool_choice', "is allowed only when 'tools' is supplied")
  if (choice === 'required' && tools.length === 0)
    throw invalid('tool_choice', "cannot be 'required' when 'tools' is empty")
  if (typeof choice !== 'object') return
  const named = tools.some((tool) => tool.function.name === choice.function.name)
  if (!named) throw invalid('tool_choice', "must name a function that is in 'tools'")
}

type Messages = ChatRequest['messages']
type ToolCalls = NonNullable<Extract<Messages[number], { role: 'assistant' }>['tool_calls']>

/** The messages with the arguments of tool calls in their shortest form, for engines. */
function checkMessages(messages: Messages): Messages {
  // One total for all calls, since each could be as costly as a body.
  const budget = { tokens: JSON_TOKENS_MAX }
  let hasCalls = false
  const checked = messages.map((message, index) => {
    if (message.role !== 'assistant') return message
    const calls = message.tool_calls ?? []
    if (message.content === undefined && calls.length === 0)
      throw invalid(`messages[${index}].content`, "is required unless 'tool_calls' is set")
    if (calls.length === 0) return message
    hasCalls = true
    return { ...message, tool_calls: shortenCalls(calls, `messages[${index}].tool_calls`, budget) }
  })
  return hasCalls ? checked : messages
}

function shortenCalls(calls: ToolCalls, path: string, budget: { tokens: number }): ToolCalls {
  return calls.map((call, index) => {
    const { arguments: text } = call.function
    const parsed = parseArguments(text, budget.tokens)
    if (!parsed.ok) throw invalid(`${path}[${index}].function.arguments`, JSON_ERRORS[parsed.error])
    budget.tokens -= parsed.tokens
    // Engines parse and render the arguments again, so an escape could hide a control token.
    const short = shortenJson(text, parsed.value)
    return { ...call, function: { ...call.function, arguments: short } }
  })
}

/**
 * A truncated call cannot be shown to a model again. Some clients send "" for no arguments. Models
 * write integers of any length, and clients send them back.
 */
function parseArguments(text: string, tokensMax: number): ParsedJson {
  const bytes = Buffer.from(text === '' ? '{}' : text)
  return parseJson(bytes, { tokensMax, exactIntegers: false })
}

function checkSchemas(body: ChatRequest): void {
  const schemas: { path: string; schema: unknown }[] = []
  for (const [index, tool] of (body.tools ?? []).entries()) {
    if (isSet(tool.function.parameters))
      schemas.push({
        path: `tools[${index}].function.parameters`,
        schema: tool.function.parameters,
      })
  }
  const format = body.response_format
  if (format?.type === 'json_schema')
    schemas.push({ path: 'response_format.json_schema.schema', schema: format.json_schema.schema })
  if (format?.type === 'json_object' && isSet(format.schema))
    schemas.push({ path: 'response_format.schema', schema: format.schema })
  const violation = checkJsonSchemas(schemas)
  if (violation !== undefined) throw invalid(violation.path, violation.message)
}
