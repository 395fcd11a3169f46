import type { IncomingMessage } from 'node:http'
import { ApiError } from '../contract/error.ts'
import { ClientGone } from './call.ts'

/**
 * Reads a request body up to a limit. A longer one is rejected without reading on, and so is a
 * compressed one, whose real size is unknown.
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new ApiError('unsupported_media_type', 'Compressed request bodies are not supported.')
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
  const chunks: Buffer[] = []
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= bytesMax) {
      chunks.push(chunk)
      return
    }
    chunks.length = 0
    reject(tooLarge(bytesMax))
  })
  request.once('end', () => {
    const [only] = chunks
    resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes))
    // The listeners live as long as the response takes; the body must not.
    chunks.length = 0
  })
  request.once('error', (cause) => reject(new ClientGone('the body was cut off', { cause })))
  return promise
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
