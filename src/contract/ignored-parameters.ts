import { Type } from 'typebox'
import { optional } from './chat-message.ts'
import type { ChatRequest } from './chat-request.ts'
import type { IgnorableParameter } from './ignorable-parameters.ts'

/** Our own bound where OpenAI documents none: `user` and `prompt_cache_key`. */
const TEXT_LENGTH_MAX = 512
/** As OpenAI documents it, like the bounds of `metadata`. */
const SAFETY_IDENTIFIER_LENGTH_MAX = 128
const METADATA_PAIRS_MAX = 16
const METADATA_NAME_LENGTH_MAX = 64
const METADATA_VALUE_LENGTH_MAX = 512

/** What the parameters must be that some callers may send without effect. */
export const IgnoredParameters = Type.Object({
  user: optional(Type.String({ maxLength: TEXT_LENGTH_MAX })),
  safety_identifier: optional(Type.String({ maxLength: SAFETY_IDENTIFIER_LENGTH_MAX })),
  metadata: optional(
    Type.Object(
      {},
      {
        maxProperties: METADATA_PAIRS_MAX,
        propertyNames: Type.String({ maxLength: METADATA_NAME_LENGTH_MAX }),
        additionalProperties: Type.String({ maxLength: METADATA_VALUE_LENGTH_MAX }),
      },
    ),
  ),
  prompt_cache_key: optional(Type.String({ maxLength: TEXT_LENGTH_MAX })),
} satisfies Record<IgnorableParameter, unknown>)

type Body = Readonly<Record<string, unknown>>

/** A body without these parameters, and these. Leaves the body as it is. */
export function splitIgnored(
  body: Body,
  names: readonly IgnorableParameter[],
): { readonly rest: Body; readonly ignored: Body } {
  const given = names.filter((name) => Object.hasOwn(body, name))
  if (given.length === 0) return { rest: body, ignored: {} }
  const rest = { ...body }
  for (const name of given) delete rest[name]
  return { rest, ignored: Object.fromEntries(given.map((name) => [name, body[name]])) }
}

/**
 * A request without these parameters, so that no later step can forward, store or log them, and the
 * names of those that were set, in the given order.
 */
export function withoutIgnored(
  request: ChatRequest,
  names: readonly IgnorableParameter[],
): { readonly rest: ChatRequest; readonly ignored: readonly IgnorableParameter[] } {
  const { rest, ignored } = splitIgnored(request, names)
  const set = names.filter((name) => (ignored[name] ?? null) !== null)
  return { rest: rest as ChatRequest, ignored: set }
}
