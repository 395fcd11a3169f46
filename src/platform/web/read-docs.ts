import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Encoding } from './choose-encoding.ts'
import { hashOf, readFolder, typeOf, type WebFile } from './read-web-files.ts'

/** The documentation site, in memory like the pages of the console. */
export type Docs = {
  /** By path, with `/docs/` at its beginning. */
  readonly byPath: ReadonlyMap<string, WebFile>
  /** The Content-Security-Policy of its pages. */
  readonly policy: string
}

export const DOCS = '/docs/'

/** The site has half of it; more is another folder. */
const DOCS_BYTES_MAX = 64 * 1024 * 1024
const TEXTS = /\.(css|html|js|json|svg|txt)$/
/** Addresses of the site's own files: in HTML, in scripts and in style sheets. */
const OWN_ADDRESSES = /(["'(])\/docs\//g
const INLINE_SCRIPTS = /<script(?![^>]{0,500}\bsrc=)[^>]{0,500}>([^<]{1,10000})<\/script>/g

/** Reads the site, which was built for `/docs/`, and puts it below the prefix of the console. */
export function readDocs(folder: string, prefix: string): Docs {
  const byPath = new Map<string, WebFile>()
  const scripts = new Set<string>()
  for (const [name, bytes] of readFolder(folder, DOCS_BYTES_MAX)) {
    if (!TEXTS.test(name)) {
      byPath.set(`${DOCS}${name}`, toFile(name, bytes, prefix))
      continue
    }
    const text = bytes.toString('utf8').replaceAll(OWN_ADDRESSES, `$1${prefix}${DOCS}`)
    byPath.set(`${DOCS}${name}`, toFile(name, Buffer.from(text), prefix))
    if (name.endsWith('.html'))
      for (const [, script = ''] of text.matchAll(INLINE_SCRIPTS))
        scripts.add(hashForPolicy(script))
  }
  if (!byPath.has(`${DOCS}index.html`))
    throw new OperatorError(`console.docs: ${folder} has no index.html`)
  return { byPath, policy: docsPolicy(scripts) }
}

function toFile(name: string, bytes: Buffer, prefix: string): WebFile {
  const bodies = new Map<Encoding, Buffer>([['identity', bytes]])
  if (TEXTS.test(name)) bodies.set('gzip', gzipSync(bytes))
  // The prefix is part of the content, but not of the name.
  const immutable = name.startsWith('assets/') && prefix === ''
  return { type: typeOf(name), immutable, hash: hashOf(bytes), bodies }
}

function hashForPolicy(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
}

/**
 * The site needs two small scripts in its pages and style attributes in its examples of code. Its
 * pages share the origin of the console, so they may call nothing at all.
 */
function docsPolicy(scripts: ReadonlySet<string>): string {
  return [
    "default-src 'none'",
    ['script-src', "'self'", ...scripts].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ')
}
