import { existsSync, readFileSync } from 'node:fs'
import { posix, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** An import of types alone is no import at run time. */
const IMPORT = /^(?:import|export)(?! type\b)[^']*'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm
const SOURCE = /\.tsx?$/
/** Texts that may name a file, a folder with its slash at the end, or a pattern of files. */
const NAMED = /['"`]([\w@.*{},/-]*[./*][\w@.*{},/-]*)['"`]/g

type Links = {
  /** Files that are imported. */
  readonly imports: readonly string[]
  /** Files that are read or started: the file names them in a text. */
  readonly files: readonly string[]
  /** Folders that are read, each with a slash at its end. */
  readonly folders: readonly string[]
  readonly patterns: readonly string[]
}

const known = new Map<string, Links>()

/** What a source file leads to. Paths are relative to the root of the repository. */
export function linksOf(path: string): Links {
  const found = known.get(path)
  if (found !== undefined) return found
  const text = SOURCE.test(path) ? readFileSync(resolve(ROOT, path), 'utf8') : ''
  const imports = [...text.matchAll(IMPORT)]
    .map((match) => posix.join(posix.dirname(path), match[1] ?? match[2] ?? ''))
    .filter((imported) => existsSync(resolve(ROOT, imported)))
  const named = [...text.matchAll(NAMED)].map(([, name]) => name ?? '')
  const placed = named.flatMap((name) => [posix.join(posix.dirname(path), name), name])
  const inside = [...new Set(placed)].filter((name) => !name.startsWith('.') && name !== '/')
  const links = {
    imports,
    files: inside.filter((name) => /\.\w+$/.test(name) && existsSync(resolve(ROOT, name))),
    folders: inside.filter((name) => name.endsWith('/') && existsSync(resolve(ROOT, name))),
    patterns: inside.filter((name) => /\/.*\*/.test(name)),
  }
  known.set(path, links)
  return links
}

/** Every file that is imported, directly or not, and the file itself. */
export function importedBy(path: string): Set<string> {
  const reached = new Set([path])
  for (const file of reached) for (const next of linksOf(file).imports) reached.add(next)
  return reached
}
