import { Type, type Static, type TSchema } from 'typebox'
import { CHAT_BOUNDS, STOP_SEQUENCES_MAX, TOOL_NAME_LENGTH_MAX, TOOLS_MAX } from './chat-bounds.ts'
import { Message, optional } from './chat-message.ts'

/** A parameter with a fixed set of values: any other value is `unsupported_value`. */
function fixed<T extends TSchema>(schema: T) {
  return Type.Optional(
    Type.Union([schema, Type.Null()], { 'x-error-code': 'unsupported_value' as const }),
  )
}

const JsonSchemaObject = Type.Record(Type.String(), Type.Unknown(), {
  description: 'A JSON Schema (draft-07 or 2020-12) within the documented limits.',
})

const Tool = Type.Object(
  {
    type: Type.Literal('function'),
    function: Type.Object({
      name: Type.String({ minLength: 1, maxLength: TOOL_NAME_LENGTH_MAX }),
      description: optional(Type.String()),
      parameters: optional(JsonSchemaObject),
    }),
  },
  { $id: 'Tool' },
)
const ToolChoice = Type.Union([
  Type.Enum(['none', 'auto', 'required']),
  Type.Object({
    type: Type.Literal('function'),
    function: Type.Object({ name: Type.String({ minLength: 1 }) }),
  }),
])

const ResponseFormat = Type.Union(
  [
    Type.Object({ type: Type.Literal('text') }),
    Type.Object({ type: Type.Literal('json_object'), schema: optional(JsonSchemaObject) }),
    Type.Object({
      type: Type.Literal('json_schema'),
      json_schema: Type.Object({
        name: Type.String({ minLength: 1 }),
        strict: optional(Type.Boolean()),
        schema: JsonSchemaObject,
      }),
    }),
  ],
  { 'x-discriminator': 'type' },
)

const StopSequence = Type.String({ minLength: 1 })

/**
 * Every parameter of a chat completion. Any other parameter is `unsupported_parameter`, unless the
 * caller's `ignoredParameters` list it.
 */
export const ChatRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, description: 'A model id from the list of models.' }),
    messages: Type.Array(Message, { minItems: 1, description: 'The conversation so far.' }),
    stream: optional(Type.Boolean({ description: 'Stream the response as server-sent events.' })),
    stream_options: optional(
      Type.Object(
        {
          include_usage: optional(Type.Boolean()),
          include_obfuscation: optional(Type.Boolean()),
        },
        { additionalProperties: false, description: 'Allowed only with stream: true.' },
      ),
    ),
    temperature: optional(Type.Number(CHAT_BOUNDS.temperature)),
    top_p: optional(Type.Number(CHAT_BOUNDS.top_p)),
    max_completion_tokens: optional(
      Type.Integer({
        minimum: 1,
        description: 'Maximum number of generated tokens, reasoning included.',
      }),
    ),
    max_tokens: optional(
      Type.Integer({ minimum: 1, deprecated: true, description: 'Use max_completion_tokens.' }),
    ),
    stop: optional(
      Type.Union(
        [StopSequence, Type.Array(StopSequence, { minItems: 1, maxItems: STOP_SEQUENCES_MAX })],
        {
          description:
            'Without effect, unless the operator applies it for the model. Where it has none, ' +
            'the response has the header `x-ignored-parameters: stop`.',
        },
      ),
    ),
    seed: optional(Type.Integer({ description: 'Best-effort deterministic sampling.' })),
    reasoning_effort: optional(Type.String({ minLength: 1, maxLength: 64 })),
    tools: optional(Type.Array(Tool, { maxItems: TOOLS_MAX })),
    tool_choice: optional(ToolChoice),
    parallel_tool_calls: optional(Type.Boolean()),
    n: fixed(Type.Literal(1)),
    logprobs: fixed(Type.Literal(false)),
    logit_bias: fixed(Type.Object({}, { additionalProperties: false })),
    frequency_penalty: optional(Type.Number(CHAT_BOUNDS.frequency_penalty)),
    presence_penalty: optional(Type.Number(CHAT_BOUNDS.presence_penalty)),
    response_format: optional(ResponseFormat),
    service_tier: fixed(Type.Enum(['auto', 'default'])),
    store: fixed(Type.Literal(false)),
    modalities: fixed(Type.Array(Type.Literal('text'), { minItems: 1, maxItems: 1 })),
    verbosity: fixed(Type.Literal('medium')),
  },
  {
    $id: 'ChatRequest',
    additionalProperties: false,
    description:
      'Any other parameter is rejected, unless `ignored_parameters` of the plan or of the API ' +
      'key lists it.',
  },
)
export type ChatRequest = Static<typeof ChatRequest>
