import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../../contract/language.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Encoding } from './choose-encoding.ts'
import { writeIndex, type PageFacts } from './write-index.ts'

export type WebFile = {
  readonly type: string
  /** Its name contains a hash of its content, so it never changes. */
  readonly immutable: boolean
  /** Of the plain bytes. */
  readonly hash: string
  readonly bodies: ReadonlyMap<Encoding, Buffer>
}

/** All in memory, by path, so that no request reaches the file system. */
export type WebFiles = {
  /** The page of every route, in each language of the build. */
  readonly pages: ReadonlyMap<Language, WebFile>
  readonly byPath: ReadonlyMap<string, WebFile>
}

/** Compressed forms included. The app has a hundredth of it; more is not a build of it. */
const WEB_BYTES_MAX = 32 * 1024 * 1024

const SUFFIXES = { '.br': 'br', '.gz': 'gzip' } as const
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** Reads the built web app; undefined if it was not built. */
export function readWebFiles(
  folder: string,
  facts: PageFacts,
  bytesMax: number = WEB_BYTES_MAX,
): WebFiles | undefined {
  const contents = readFolder(folder, bytesMax)
  if (!contents.has(pageOf(DEFAULT_LANGUAGE))) return undefined
  const byPath = new Map<string, WebFile>()
  for (const [name, bytes] of contents)
    if (!(extname(name) in SUFFIXES) && !LANGUAGES.some((language) => pageOf(language) === name))
      byPath.set(`/${name}`, toWebFile(name, bytes, contents))
  const pages = new Map<Language, WebFile>()
  for (const language of LANGUAGES) {
    const built = contents.get(pageOf(language))
    if (built !== undefined)
      pages.set(language, writtenPage(writeIndex(built.toString('utf8'), facts)))
  }
  return { pages, byPath }
}

function pageOf(language: Language): string {
  return language === DEFAULT_LANGUAGE ? 'index.html' : `index.${language}.html`
}

/** Files by name below the folder. Names that begin with a dot are for tools of the build. */
export function readFolder(folder: string, bytesMax: number): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Buffer>()
  let bytes = 0
  for (const name of namesIn(folder)) {
    if (name.split(sep).some((segment) => segment.startsWith('.'))) continue
    const content = readFileSync(join(folder, name))
    bytes += content.length
    if (bytes > bytesMax)
      throw new OperatorError(`${folder} is larger than ${bytesMax} bytes: build it again`)
    contents.set(name.replaceAll(sep, '/'), content)
  }
  return contents
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

export function typeOf(name: string): string {
  return TYPES[extname(name)] ?? 'application/octet-stream'
}

function toWebFile(name: string, bytes: Buffer, contents: ReadonlyMap<string, Buffer>): WebFile {
  const bodies = new Map<Encoding, Buffer>([['identity', bytes]])
  for (const [suffix, encoding] of Object.entries(SUFFIXES)) {
    const compressed = contents.get(`${name}${suffix}`)
    if (compressed !== undefined) bodies.set(encoding, compressed)
  }
  return {
    type: typeOf(name),
    immutable: name.startsWith('assets/'),
    hash: hashOf(bytes),
    bodies,
  }
}

/** Compressed here, because it was written here. */
function writtenPage(text: string): WebFile {
  const bytes = Buffer.from(text)
  return {
    type: TYPES['.html']!,
    immutable: false,
    hash: hashOf(bytes),
    bodies: new Map<Encoding, Buffer>([
      ['identity', bytes],
      ['br', brotliCompressSync(bytes)],
      ['gzip', gzipSync(bytes)],
    ]),
  }
}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
}
