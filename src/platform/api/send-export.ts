import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../../contract/error.ts'
import type { Call } from '../../http/call.ts'
import type { UsageExport } from '../usage/export-usage.ts'

/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 30_000

/** Each has one page of records in memory. Further ones get 503. */
const EXPORTS_MAX = 16

/** Sends a download no faster than the client reads it. */
export function createExports(
  exportsMax: number = EXPORTS_MAX,
): (download: UsageExport, call: Call) => Promise<void> {
  let open = 0
  return async ({ contentType, fileName, parts }, { response, headers }) => {
    if (open >= exportsMax)
      throw new ApiError('service_unavailable', 'Too many exports are running.', {
        headers: { 'retry-after': '10' },
      })
    open += 1
    try {
      headers['content-type'] = contentType
      headers['content-disposition'] = `attachment; filename="${fileName}"`
      response.setTimeout(STALLED_MS, () => response.destroy())
      response.writeHead(200, headers)
      await pipeline(Readable.from(parts, { highWaterMark: 1 }), response)
    } finally {
      open -= 1
    }
  }
}
