import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT } from '../suites.ts'

export type Proof = {
  readonly name: string
  readonly path: string
  /** What it proves: the first line of its header comment. */
  readonly description: string
  /** Patterns of the files that it is about: the lines `covers:` of its header comment. */
  readonly covers: readonly string[]
  /** Kinds of engines that it can run on: the lines `engines:`; empty if it has no real engine. */
  readonly engines: readonly string[]
}

const FOLDER = join(ROOT, 'test/prove')
/** A change of these may change what any proof meets. */
const EVERYTHING = /^(package(-lock)?\.json|stack\/|test\/prove\.ts)/

/** Each file of the folder is a proof; its parts are in a subfolder of the same name. */
export function listProofs(): Proof[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .map((file) => {
      const path = join(FOLDER, file)
      const header = readHeader(readFileSync(path, 'utf8'))
      const listed = (title: string) =>
        header
          .filter((line) => line.startsWith(`${title}: `))
          .flatMap((line) => line.slice(title.length + 2).split(/\s+/))
      const [description = 'says nothing about itself'] = header
      const name = file.replace(/\.ts$/, '')
      return { name, path, description, covers: listed('covers'), engines: listed('engines') }
    })
}

/** The lines of the first comment, without the signs that make it one. */
function readHeader(text: string): string[] {
  const lines = text.split('\n')
  const end = lines.findIndex((line) => !/^\s*(\/\/|\/\*|\*)/.test(line))
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\s*(\/\/|\/\*\*?|\*\/?)\s*|\s*\*\/\s*$/g, ''))
    .filter((line) => line !== '')
}

/** Why a proof is to run after a change, or undefined. */
export function reasonToProve({ name, covers }: Proof, changed: readonly string[]) {
  const own = (path: string) =>
    path === `test/prove/${name}.ts` || path.startsWith(`test/prove/${name}/`)
  return changed.find(
    (path) =>
      EVERYTHING.test(path) ||
      own(path) ||
      (!path.endsWith('.test.ts') && covers.some((pattern) => posix.matchesGlob(path, pattern))),
  )
}
