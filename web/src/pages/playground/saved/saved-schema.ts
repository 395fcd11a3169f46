import { Type, type Static, type TSchema } from 'typebox'
import { TOOLS_MAX } from '../../../../../src/contract/chat-bounds.ts'
import { Usage } from '../../../../../src/contract/chat-response.ts'

// What "Save as file" writes and "Open file" reads. One schema gives the type and the check.

const TURNS_MAX = 2_000
const SETTINGS_MAX = 40
const NAME_LENGTH_MAX = 500

const Name = Type.String({ maxLength: NAME_LENGTH_MAX })
const Milliseconds = Type.Union([Type.Number({ minimum: 0 }), Type.Null()])
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const strict = { additionalProperties: false } as const

const SavedUser = Type.Object({ role: Type.Literal('user'), content: Type.String() }, strict)

const SavedAnswer = Type.Object(
  {
    role: Type.Literal('assistant'),
    model: Name,
    content: Type.String(),
    reasoning_content: Type.String(),
    tool_calls: Type.Array(
      Type.Object({ id: Name, name: Name, arguments: Type.String() }, strict),
      { maxItems: TOOLS_MAX },
    ),
    /** By the id of the call; null before they are sent. */
    results: nullable(Type.Record(Type.String(), Type.String())),
    request_id: nullable(Type.String({ pattern: '^[0-9a-f-]{36}$' })),
    status: nullable(Type.Integer()),
    state: Type.Enum(['complete', 'failed', 'broken', 'stopped']),
    finish_reason: nullable(Name),
    usage: nullable(Usage),
    first_ms: Milliseconds,
    last_ms: Milliseconds,
    ended_ms: Milliseconds,
  },
  strict,
)
export type SavedAnswer = Static<typeof SavedAnswer>

export const SavedConversation = Type.Object(
  {
    /** Changes when older files cannot be read any more. */
    format: Type.Literal('headrace-conversation-1'),
    /** By the names that they have in the address of the page. */
    settings: Type.Record(Type.String(), Type.String(), { maxProperties: SETTINGS_MAX }),
    system: Type.String(),
    tools: Type.Array(Type.Object({}), { maxItems: TOOLS_MAX }),
    schema: nullable(Type.Object({})),
    conversations: Type.Array(
      Type.Array(Type.Union([SavedUser, SavedAnswer]), { maxItems: TURNS_MAX }),
      { maxItems: 2 },
    ),
  },
  strict,
)
export type SavedConversation = Static<typeof SavedConversation>
