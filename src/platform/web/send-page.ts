import { ApiError } from '../../contract/error.ts'
import type { Call } from '../../http/call.ts'
import { SECURITY_HEADERS } from '../../http/security-headers.ts'
import { chooseEncoding } from './choose-encoding.ts'
import { chooseLanguage } from './choose-language.ts'
import { DOCS, type Docs } from './read-docs.ts'
import type { WebFile, WebFiles } from './read-web-files.ts'

export type Pages = {
  /** Undefined if the web app was not built. */
  readonly files: WebFiles | undefined
  /** The Content-Security-Policy. */
  readonly policy: string
  /** Undefined if the operator serves no documentation. */
  readonly docs?: Docs | undefined
}

const YEAR = 'public, max-age=31536000, immutable'
const VARY = 'accept-encoding'
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
  else if (file === undefined) sendIndex(call, files)
  else sendFile(call, file)
}

/** In the language of whoever asks. A cache must not give it to somebody with another one. */
function sendIndex(call: Call, { pages }: WebFiles): void {
  const language = chooseLanguage(call.request.headers, [...pages.keys()])
  call.headers['content-language'] = language
  call.headers['vary'] = `${VARY}, accept-language, cookie`
  sendFile(call, pages.get(language)!)
}

/** Sends a file of the documentation, or its page for addresses that do not exist. */
export function sendDocs(call: Call, path: string, { byPath, policy }: Docs): void {
  const { request, headers } = call
  Object.assign(headers, SECURITY_HEADERS, { 'content-security-policy': policy })
  if (request.method !== 'GET' && request.method !== 'HEAD') throw onlyRead()
  const file = byPath.get(path.endsWith('/') ? `${path}index.html` : path)
  const missing = byPath.get(`${DOCS}404.html`)
  if (file !== undefined) sendFile(call, file)
  else if (missing !== undefined) sendFile(call, missing, 404)
  else throw new ApiError('not_found', 'This page does not exist.')
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

function sendFile({ request, response, headers }: Call, file: WebFile, status = 200): void {
  const encoding = chooseEncoding(request.headers['accept-encoding'], (one) => file.bodies.has(one))
  const body = file.bodies.get(encoding)!
  // Different bytes have different tags, so each encoding has its own.
  const etag = `"${file.hash}-${encoding}"`
  if (file.immutable) headers['cache-control'] = YEAR
  headers['etag'] = etag
  headers['vary'] ??= VARY
  if (status === 200 && isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, headers)
    response.end()
    return
  }
  if (encoding !== 'identity') headers['content-encoding'] = encoding
  headers['content-type'] = file.type
  headers['content-length'] = body.length
  response.writeHead(status, headers)
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Proxies that compress mark a tag as weak. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim())
  return tags.some((tag) => tag === '*' || tag === etag || tag === `W/${etag}`)
}
