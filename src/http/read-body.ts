import { ApiError } from '../contract/error.ts'
import type { ApiRequest } from './api-request.ts'
import type { BodyCharge } from './body-budget.ts'

/** The memory for bodies is used up, or the caller's share of it. */
export class NoBodyMemory extends Error {
  override readonly name = 'NoBodyMemory'
}

/**
 * Reads a request body up to a limit. A longer one is rejected without reading on, and so is a
 * compressed one, whose real size is unknown. Memory is charged as it is used: a length that the
 * client announces is only compared with the limits.
 */
export async function readBody(
  request: ApiRequest,
  bytesMax: number,
  charge: BodyCharge,
): Promise<Buffer> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new ApiError('unsupported_media_type', 'Compressed request bodies are not supported.')
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  return request.readBody((bytes, capacity) => {
    if (bytes > bytesMax) return tooLarge(bytesMax)
    return charge.resize(capacity) ? undefined : new NoBodyMemory()
  })
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError(
    'request_too_large',
    `The request body exceeds the maximum size of ${bytesMax} bytes.`,
  )
}

/** Whether a Content-Type header declares JSON. Parameters such as a charset may follow. */
export function declaresJson(contentType: string | undefined): boolean {
  return /^application\/json[ \t]*(;|$)/i.test(contentType?.trim() ?? '')
}
