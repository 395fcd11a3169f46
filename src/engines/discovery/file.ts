import { watch, type FSWatcher } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { parseDocument } from 'yaml'
import {
  ENDPOINTS_MAX,
  reasonOf,
  UnreadableSource,
  type Endpoint,
  type Source,
} from './endpoint.ts'

/** The watch of the system is not sure: it has none on some network file systems. */
const POLL_MS = 5_000
/** A change of several files is read once. */
const SETTLE_MS = 50
const FILE_BYTES_MAX = 1_048_576
const FILES_MAX = 1_000
const ALIASES_MAX = 100

const FileSchema = Type.Object(
  {
    engines: Type.Array(
      Type.Object(
        {
          url: Type.String({ pattern: '^https?://[^\\s/?#@]+/?$', maxLength: 2048 }),
          slots: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
        },
        { additionalProperties: false },
      ),
      { maxItems: ENDPOINTS_MAX },
    ),
  },
  { additionalProperties: false },
)

/**
 * Reads a file, or all YAML files of a folder, whenever one changes. If one of them cannot be read,
 * the source cannot: half of a list would drop engines.
 */
export function readFiles(path: string, pollMs: number = POLL_MS): Source {
  return async ({ found, failed }, signal) => {
    while (!signal.aborted) {
      const changed = new AbortController()
      const watcher = watchPath(path, () => changed.abort())
      try {
        found(await readAll(path))
      } catch (error) {
        failed(reasonOf(error))
      }
      const either = AbortSignal.any([signal, changed.signal])
      await pause(pollMs, undefined, { signal: either, ref: false }).catch(() => undefined)
      watcher?.close()
      if (!signal.aborted && changed.signal.aborted) await pause(SETTLE_MS)
    }
  }
}

/** Watches the folder: a file that is replaced by a renamed one is another file for the system. */
function watchPath(path: string, onChange: () => void): FSWatcher | undefined {
  // A mounted ConfigMap is replaced as a whole, by its link `..data`.
  const names = new Set([basename(path), '..data'])
  const watched = [path, dirname(path)].map((folder, above) => {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (above === 0 || name === null || names.has(name)) onChange()
      })
      // Polling goes on without it.
      watcher.on('error', () => undefined)
      return watcher
    } catch {
      return undefined
    }
  })
  const [first, second] = watched.filter((watcher) => watcher !== undefined)
  if (first !== undefined && second !== undefined) first.once('close', () => second.close())
  return first
}

async function readAll(path: string): Promise<Endpoint[]> {
  const isFolder = (await stat(path)).isDirectory()
  const names = isFolder ? (await readdir(path)).filter(isYaml).toSorted() : []
  if (isFolder && names.length === 0) throw new UnreadableSource('the folder has no YAML file')
  if (names.length > FILES_MAX) throw new UnreadableSource(`more than ${FILES_MAX} files`)
  const files = isFolder ? names.map((name) => join(path, name)) : [path]
  const lists = await Promise.all(files.map(readOne))
  return lists.flat()
}

/** Hidden files are those of an editor, or of a mounted ConfigMap. */
function isYaml(name: string): boolean {
  return /\.ya?ml$/.test(name) && !name.startsWith('.')
}

async function readOne(file: string): Promise<Endpoint[]> {
  const { size } = await stat(file)
  if (size > FILE_BYTES_MAX) throw new UnreadableSource('a file is larger than 1 MiB')
  const document = parseDocument(await readFile(file, 'utf8'), { prettyErrors: false })
  if (document.errors.length > 0) throw new UnreadableSource('a file is not valid YAML')
  // An empty file is one that is being written; no engines are `engines: []`.
  const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX })
  if (!Check(FileSchema, value)) throw new UnreadableSource('a file is not a list of engines')
  return value.engines
}
