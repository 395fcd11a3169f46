import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../contract/error.ts'
import { declaresJson } from '../../http/read-body.ts'
import { JSON_FORMAT, wrongFormat } from './read-input.ts'

/**
 * A state-changing request of a browser must come from the console itself. SameSite does not stop a
 * page on another port of the same host. A form cannot send JSON.
 */
export function checkOrigin(headers: IncomingHttpHeaders, publicOrigin: string): void {
  const site = headers['sec-fetch-site']
  const sameOrigin = site === undefined ? headers.origin === publicOrigin : site === 'same-origin'
  if (!sameOrigin)
    throw new ApiError('cross_origin', 'Requests from other sites are not allowed here.')
  if (!declaresJson(headers['content-type'])) throw wrongFormat(JSON_FORMAT)
}
