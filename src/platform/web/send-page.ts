import { ApiError } from '../../contract/error.ts'
import type { Call } from '../../http/call.ts'
import { SECURITY_HEADERS } from '../../http/security-headers.ts'
import { chooseEncoding } from './choose-encoding.ts'
import type { WebFile, WebFiles } from './read-web-files.ts'

export type Pages = {
  /** Undefined if the web app was not built. */
  readonly files: WebFiles | undefined
  /** The Content-Security-Policy. */
  readonly policy: string
}

const YEAR = 'public, max-age=31536000, immutable'
const NOT_BUILT = 'The web app is not built. Run `npm run build`, then start the console again.\n'

/** Sends a file of the web app, or index.html for every path that can be a page. */
export function sendPage(call: Call, path: string, { files, policy }: Pages): void {
  const { request, headers } = call
  Object.assign(headers, SECURITY_HEADERS, { 'content-security-policy': policy })
  const file = files?.byPath.get(path)
  if (file === undefined && !canBePage(path))
    throw new ApiError('not_found', 'This does not exist, or you have no access to it.')
  if (request.method !== 'GET' && request.method !== 'HEAD') throw onlyRead()
  if (files === undefined) sendNotBuilt(call)
  else if (file === undefined) sendFile(call, files.index)
  else sendFile(call, file)
}

/** Browsers and robots ask for many a file, such as /favicon.ico, that is not a page. */
function canBePage(path: string): boolean {
  if (!path.startsWith('/') || path.startsWith('//')) return false
  const [, first = ''] = path.split('/', 2)
  return first !== 'assets' && !first.includes('.')
}

function onlyRead(): ApiError {
  const allow = 'GET, HEAD'
  return new ApiError('unsupported_method', `This page supports ${allow} only.`, {
    headers: { allow },
  })
}

function sendNotBuilt({ response, headers }: Call): void {
  headers['content-type'] = 'text/plain; charset=utf-8'
  headers['content-length'] = Buffer.byteLength(NOT_BUILT)
  response.writeHead(503, headers)
  response.end(NOT_BUILT)
}

function sendFile({ request, response, headers }: Call, file: WebFile): void {
  const encoding = chooseEncoding(request.headers['accept-encoding'], (one) => file.bodies.has(one))
  const body = file.bodies.get(encoding)!
  // Different bytes have different tags, so each encoding has its own.
  const etag = `"${file.hash}-${encoding}"`
  if (file.immutable) headers['cache-control'] = YEAR
  headers['etag'] = etag
  headers['vary'] = 'accept-encoding'
  if (isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers)
    response.end()
    return
  }
  if (encoding !== 'identity') headers['content-encoding'] = encoding
  headers['content-type'] = file.type
  headers['content-length'] = body.length
  response.writeHead(200, headers)
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Proxies that compress mark a tag as weak. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim())
  return tags.some((tag) => tag === '*' || tag === etag || tag === `W/${etag}`)
}
