import { Type, type Static } from 'typebox'
import { FinishReason, Usage } from './chat-response.ts'

const ToolCallFragment = Type.Object({
  index: Type.Integer(),
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.Literal('function')),
  function: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String()),
      arguments: Type.Optional(Type.String({ description: 'A fragment of the arguments.' })),
    }),
  ),
})

export const Delta = Type.Object({
  role: Type.Optional(Type.Literal('assistant')),
  content: Type.Optional(Type.String()),
  reasoning_content: Type.Optional(Type.String()),
  tool_calls: Type.Optional(Type.Array(ToolCallFragment)),
})
export type Delta = Static<typeof Delta>

export const ChatChunk = Type.Object(
  {
    id: Type.String({ description: 'The same in every chunk of a stream.' }),
    object: Type.Literal('chat.completion.chunk'),
    created: Type.Integer({ description: 'The same in every chunk of a stream.' }),
    model: Type.String(),
    choices: Type.Array(
      Type.Object({
        index: Type.Literal(0),
        delta: Delta,
        finish_reason: Type.Union([FinishReason, Type.Null()]),
      }),
      { maxItems: 1, description: 'Empty in the usage chunk only.' },
    ),
    usage: Type.Union([Usage, Type.Null()], { description: 'Set in the usage chunk only.' }),
    obfuscation: Type.Optional(Type.String({ description: 'Random padding; ignore it.' })),
  },
  { $id: 'ChatChunk' },
)
export type ChatChunk = Static<typeof ChatChunk>
