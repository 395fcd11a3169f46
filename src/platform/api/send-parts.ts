import { once } from 'node:events'
import { ClientGone, type Call } from '../../http/call.ts'

/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 30_000

/**
 * Sends texts as one answer, each when the client has taken the one before. An error in the middle
 * breaks off the connection, so that nobody takes the part for the whole.
 */
export async function sendParts(
  { response, headers, signal }: Call,
  { contentType, parts }: { readonly contentType: string; readonly parts: AsyncIterable<string> },
  fileName: string,
): Promise<void> {
  headers['content-type'] = contentType
  headers['content-disposition'] = `attachment; filename="${fileName}"`
  for await (const part of parts) {
    signal.throwIfAborted()
    if (!response.headersSent) response.writeHead(200, headers)
    if (part === '' || response.write(part)) continue
    const stalled = AbortSignal.timeout(STALLED_MS)
    await once(response, 'drain', { signal: AbortSignal.any([signal, stalled]) }).catch(() => {
      throw new ClientGone('the client disconnected or stopped reading')
    })
  }
  response.end()
}
