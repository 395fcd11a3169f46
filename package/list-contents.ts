import { globSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { listDependencies } from './list-dependencies.ts'

/** A file of the package: where it is written, and the file of the repository it is made from. */
export type PackedFile = { readonly path: string; readonly source: string }

/** What `src/` reads at run time, next to its modules. */
const DATA_KINDS = ['.lua', '.txt']

/**
 * Files outside `src/` that keep their path. `npm run build` writes `web/dist`. Commands refer to
 * the pages in `docs/`.
 */
export const KEPT = [
  'migrations/*.sql',
  'web/dist/**/*',
  'docs/*.md',
  'docs/{install,migrate,operating,start}/*.md',
  'LICENSE',
  'README.md',
  'headrace.yaml',
]

/** Only compilers and debuggers read these; they are half of the dependencies' bytes. */
const NOT_RUN = /\.([cm]?ts|map)$/

/** Every file of the package except package.json, sorted by path. */
export function listContents(root: string): PackedFile[] {
  const program = filesOf(root, 'src/**/*').filter((source) => !source.endsWith('.test.ts'))
  const kept = KEPT.flatMap((pattern) => filesOf(root, pattern))
  return [
    ...program.map((source) => ({ path: pathInPackage(source), source })),
    ...[...kept, ...dependencyFiles(root)].map((source) => ({ path: source, source })),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * `src/` becomes `dist/` and nothing moves otherwise, so that a path relative to a module, such as
 * `../../package.json`, is the same in a clone and in the package.
 */
export function pathInPackage(source: string): string {
  if (!source.startsWith('src/')) return source
  const kind = extname(source)
  if (kind !== '.ts' && !DATA_KINDS.includes(kind))
    throw new Error(`${source}: package/list-contents.ts does not know this kind of file`)
  return source.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js')
}

function dependencyFiles(root: string): string[] {
  return listDependencies(root).flatMap((folder) =>
    globSync(`${folder}/**/*`, { cwd: root, exclude: [`${folder}/node_modules`] }).filter(
      (path) => !NOT_RUN.test(path) && isFile(root, path),
    ),
  )
}

function filesOf(root: string, pattern: string): string[] {
  const found = globSync(pattern, { cwd: root }).filter((path) => isFile(root, path))
  if (found.length === 0) throw new Error(`there is no file ${pattern}`)
  return found
}

function isFile(root: string, path: string): boolean {
  return statSync(join(root, path)).isFile()
}
