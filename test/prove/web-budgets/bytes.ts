import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DEFAULT_LANGUAGE, type Language } from '../../../src/contract/language.ts'

type Chunk = {
  readonly file: string
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

type Manifest = Readonly<Record<string, Chunk>>

/** What a browser loads for a page, in bytes as the server sends them with gzip. */
type Load = { readonly name: string; readonly js: number; readonly css: number }

type Bytes = {
  /** The entry, what it imports, and the frame around every page. */
  readonly shell: Load
  readonly pages: readonly Load[]
  readonly allJs: number
}

const PAGE = /^src\/pages\/.+-page\.tsx$/
const FRAMES = /^src\/(shell\/frame|pages\/.+-frame)\.tsx$/

function readManifest(folder: string, suffix: string): Manifest {
  return JSON.parse(readFileSync(join(folder, `.vite/manifest${suffix}.json`), 'utf8')) as Manifest
}

/** The build of one language. */
export function measure(folder: string, language: Language): Bytes {
  const suffix = language === DEFAULT_LANGUAGE ? '' : `.${language}`
  const manifest = readManifest(folder, suffix)
  const sizes = new Map<string, number>()
  const sizeOf = (file: string) => {
    const known = sizes.get(file) ?? gzipSync(readFileSync(join(folder, file)), { level: 9 }).length
    sizes.set(file, known)
    return known
  }
  const loadOf = (name: string, chunks: ReadonlySet<string>): Load => {
    const files = [...chunks].map((key) => manifest[key]!)
    const css = new Set(files.flatMap((chunk) => chunk.css ?? []))
    return { name, js: sum(files.map(({ file }) => sizeOf(file))), css: sum([...css].map(sizeOf)) }
  }
  const html = readFileSync(join(folder, `index${suffix}.html`), 'utf8')
  const scripts = [...html.matchAll(/<script[^>]* src="\.\/([^"]+)"/g)].map(([, file]) => file)
  const entries = Object.keys(manifest).filter((key) => scripts.includes(manifest[key]?.file))
  const frame = Object.keys(manifest).filter((key) => key === 'src/shell/frame.tsx')
  const shell = staticallyLoaded(manifest, [...entries, ...frame])
  const pages = Object.keys(manifest).filter((key) => PAGE.test(key))
  const frames = Object.keys(manifest).filter((key) => FRAMES.test(key))
  const js = new Set(Object.values(manifest).flatMap(({ file }) => (isJs(file) ? [file] : [])))
  return {
    shell: loadOf('shell', shell),
    // Frames of settings and account are counted with every page of the same folder.
    pages: pages.map((page) => {
      const around = frames.filter((key) => folderOf(key) === folderOf(page))
      return loadOf(page, new Set([...shell, ...staticallyLoaded(manifest, [page, ...around])]))
    }),
    allJs: sum([...js].map(sizeOf)),
  }
}

/** The chunks and all that they import when they are loaded. */
function staticallyLoaded(manifest: Manifest, from: readonly string[]): Set<string> {
  const found = new Set<string>()
  const visit = (key: string) => {
    if (found.has(key)) return
    found.add(key)
    for (const next of manifest[key]?.imports ?? []) visit(next)
  }
  for (const key of from) visit(key)
  return found
}

function isJs(file: string): boolean {
  return file.endsWith('.js')
}

function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
