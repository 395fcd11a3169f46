import { Type, type Static, type TSchema } from 'typebox'
import { CALL_ID_LENGTH_MAX, TOOL_NAME_LENGTH_MAX } from './chat-bounds.ts'

/** An optional member. Clients send null for "not set", so null is accepted too. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

/**
 * A member that would change the meaning of the message and is not supported: only null is allowed.
 */
const unsupported = Type.Optional(Type.Null())

const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String() })

const Text = Type.Union([Type.String(), Type.Array(TextPart, { minItems: 1 })], {
  description: 'A string, or an array of text parts. Input is text only.',
})

export const ToolCall = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: CALL_ID_LENGTH_MAX }),
    type: Type.Literal('function'),
    function: Type.Object({
      name: Type.String({ minLength: 1, maxLength: TOOL_NAME_LENGTH_MAX }),
      arguments: Type.String({ description: 'The arguments as JSON text.' }),
    }),
  },
  { $id: 'ToolCall' },
)
export type ToolCall = Static<typeof ToolCall>

function plainMessage<const Role extends string>(role: Role) {
  return Type.Object({ role: Type.Literal(role), content: Text })
}

const AssistantMessage = Type.Object({
  role: Type.Literal('assistant'),
  content: optional(Text),
  reasoning_content: optional(
    Type.String({ description: 'The reasoning that was returned with this message.' }),
  ),
  tool_calls: optional(Type.Array(ToolCall)),
  audio: unsupported,
  function_call: unsupported,
})

const ToolMessage = Type.Object({
  role: Type.Literal('tool'),
  tool_call_id: Type.String({
    maxLength: CALL_ID_LENGTH_MAX,
    description: 'The id of the tool call that this message answers.',
  }),
  content: Text,
})

/**
 * Unlisted members are accepted and not forwarded: clients send back what they received, and more.
 */
export const Message = Type.Union(
  [
    plainMessage('system'),
    plainMessage('developer'),
    plainMessage('user'),
    AssistantMessage,
    ToolMessage,
  ],
  { $id: 'Message', 'x-discriminator': 'role' },
)
export type Message = Static<typeof Message>
