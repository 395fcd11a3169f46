import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../../contract/error.ts'
import type { Call } from '../../http/call.ts'
import type { Download } from '../use-case/download.ts'
import { createPlaces } from './places.ts'

/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 30_000

/** After that time, a client that has read more slowly than this is disconnected too. */
const LEAST_BYTES_PER_MS = 64

/** Each has one page of records in memory. Further ones get 503. */
const EXPORTS_MAX = 32
/** Of a kind. Further ones of the owner get 429: nobody takes the places of others. */
const EXPORTS_PER_OWNER_MAX = 2

const RETRY_HEADERS = { 'retry-after': '10' }

type Pace = { readonly graceMs: number; readonly leastBytesPerMs: number }

/** Sends a download no faster than the client reads it. */
export function createExports(
  pace: Pace = { graceMs: STALLED_MS, leastBytesPerMs: LEAST_BYTES_PER_MS },
): (download: Download, call: Call) => Promise<void> {
  const places = createPlaces(EXPORTS_MAX, EXPORTS_PER_OWNER_MAX)
  return async (download, { response, headers }) => {
    const { contentType, fileName, ownerId, parts } = download
    const place = places.take(ownerId)
    if (place === 'all')
      throw new ApiError('service_unavailable', 'Too many exports are running.', {
        headers: RETRY_HEADERS,
      })
    if (place === 'own')
      throw new ApiError(
        'rate_limit_exceeded',
        `${EXPORTS_PER_OWNER_MAX} exports of this kind are running already.`,
        { headers: RETRY_HEADERS },
      )
    using _place = place
    await download.record()
    headers['content-type'] = contentType
    headers['content-disposition'] = `attachment; filename="${fileName}"`
    response.setTimeout(STALLED_MS, () => response.destroy())
    response.writeHead(200, headers)
    await pipeline(Readable.from(hurried(parts, response, pace), { highWaterMark: 1 }), response)
  }
}

/** Every part gives the client the time that it may take at the least rate. */
async function* hurried(
  parts: AsyncIterable<string>,
  response: ServerResponse,
  { graceMs, leastBytesPerMs }: Pace,
): AsyncGenerator<string, void> {
  let untilMs = performance.now() + graceMs
  let timer = setTimeout(() => response.destroy(), graceMs)
  // The last part is still to be read when it has been passed on.
  response.once('close', () => clearTimeout(timer))
  for await (const part of parts) {
    untilMs += part.length / leastBytesPerMs
    clearTimeout(timer)
    if (response.closed) return
    timer = setTimeout(() => response.destroy(), untilMs - performance.now())
    yield part
  }
}
