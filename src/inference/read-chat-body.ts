import { ApiError } from '../contract/error.ts'
import type { Call } from '../http/call.ts'
import { declaresJson, readBody } from '../http/read-body.ts'
import { JSON_ERRORS, parseJson } from '../lib/parse-json.ts'

/**
 * A parsed body, or the error to throw after admission: unreadable requests count against the rate
 * limits too, so that a flood of them is limited.
 */
export type ChatBody =
  | { readonly read: true; readonly value: unknown }
  | { readonly read: false; readonly error: ApiError }

export async function readChatBody({ request }: Call, bytesMax: number): Promise<ChatBody> {
  if (!declaresJson(request.headers['content-type']))
    return failed(new ApiError('unsupported_media_type', 'Content-Type must be application/json.'))
  try {
    return parse(await readBody(request, bytesMax))
  } catch (error) {
    if (error instanceof ApiError) return failed(error)
    throw error
  }
}

function parse(bytes: Buffer): ChatBody {
  const parsed = parseJson(bytes)
  if (parsed.ok) return { read: true, value: parsed.value }
  const message = JSON_ERRORS[parsed.error]
  return failed(
    parsed.path === undefined
      ? new ApiError('invalid_json', message)
      : new ApiError('invalid_value', `'${parsed.path}': ${message}`, { param: parsed.path }),
  )
}

function failed(error: ApiError): ChatBody {
  return { read: false, error }
}
