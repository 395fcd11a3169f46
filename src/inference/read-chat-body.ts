import { ApiError } from '../contract/error.ts'
import type { Call } from '../http/call.ts'
import { declaresJson, readBody } from '../http/read-body.ts'
import { JSON_ERRORS, parseJson } from '../lib/parse-json.ts'

/**
 * What could be read of a body. A refusal is kept and not thrown, because a request that cannot be
 * read is still admitted first: a flood of bad requests is limited like any other.
 */
export type ChatBody =
  | { readonly read: true; readonly value: unknown }
  | { readonly read: false; readonly refusal: ApiError }

export async function readChatBody({ request }: Call, bytesMax: number): Promise<ChatBody> {
  if (!declaresJson(request.headers['content-type']))
    return refused(new ApiError('unsupported_media_type', 'Content-Type must be application/json.'))
  try {
    return parse(await readBody(request, bytesMax))
  } catch (error) {
    if (error instanceof ApiError) return refused(error)
    throw error
  }
}

function parse(bytes: Buffer): ChatBody {
  const parsed = parseJson(bytes)
  if (parsed.ok) return { read: true, value: parsed.value }
  const message = JSON_ERRORS[parsed.fault]
  return refused(
    parsed.path === undefined
      ? new ApiError('invalid_json', message)
      : new ApiError('invalid_value', `'${parsed.path}': ${message}`, { param: parsed.path }),
  )
}

function refused(refusal: ApiError): ChatBody {
  return { read: false, refusal }
}
