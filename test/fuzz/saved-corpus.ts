import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TargetName } from './target.ts'

const FOLDER = join(import.meta.dirname, 'corpus')
/** Of one target: the corpus is committed, and replayed by every run of the tests. */
const CORPUS_BYTES_MAX = 50_000
const CRASHES = join(import.meta.dirname, '../../.fuzz')

/** The committed inputs of a target, in a fixed order. */
export function readCorpus(target: TargetName): Buffer[] {
  const folder = join(FOLDER, target)
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).toSorted()
  return names.map((name) => readFileSync(join(folder, name)))
}

/** Adds inputs until the corpus of the target is full, and returns how many. */
export function saveInputs(target: TargetName, inputs: readonly Buffer[]): number {
  let bytes = readCorpus(target).reduce((sum, { length }) => sum + length, 0)
  let saved = 0
  for (const input of inputs) {
    bytes += input.length
    if (bytes > CORPUS_BYTES_MAX) break
    write(join(FOLDER, target, nameOf(input)), input)
    saved += 1
  }
  return saved
}

/** Where a failing input is written; the folder is not committed. */
export function crashPath(target: TargetName, input: Buffer): string {
  return join(CRASHES, `${target}-${nameOf(input)}`)
}

export function saveCrash(target: TargetName, input: Buffer): string {
  const path = crashPath(target, input)
  write(path, input)
  return path
}

function write(path: string, input: Buffer): void {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, input)
}

function nameOf(input: Buffer): string {
  return `${createHash('sha256').update(input).digest('hex').slice(0, 16)}.bin`
}
