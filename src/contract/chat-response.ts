import { Type, type Static } from 'typebox'
import { ToolCall } from './chat-message.ts'

export const FINISH_REASONS = ['stop', 'tool_calls', 'length', 'content_filter'] as const
export const FinishReason = Type.Enum(FINISH_REASONS)
export type FinishReason = Static<typeof FinishReason>

export const Usage = Type.Object(
  {
    prompt_tokens: Type.Integer(),
    completion_tokens: Type.Integer(),
    total_tokens: Type.Integer(),
    prompt_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
    completion_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
  },
  { $id: 'Usage' },
)
export type Usage = Static<typeof Usage>

export const ChatResponse = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Type.Integer({ description: 'Unix time in seconds.' }),
    model: Type.String(),
    choices: Type.Array(
      Type.Object({
        index: Type.Literal(0),
        message: Type.Object({
          role: Type.Literal('assistant'),
          content: Type.Union([Type.String(), Type.Null()]),
          refusal: Type.Null(),
          reasoning_content: Type.Optional(Type.String()),
          tool_calls: Type.Optional(Type.Array(ToolCall)),
        }),
        logprobs: Type.Null(),
        finish_reason: FinishReason,
      }),
      { minItems: 1, maxItems: 1 },
    ),
    usage: Usage,
  },
  { $id: 'ChatResponse' },
)
export type ChatResponse = Static<typeof ChatResponse>
