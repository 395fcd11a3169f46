import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Bench } from './bench.ts'

const EXAMPLES = resolve(import.meta.dirname, '..', '..', '..', 'examples', 'programs')

/** The settings of examples/programs, for this service: other address and model, else as it is. */
export function readExample(name: string, { apiRoot, model }: Bench): string {
  return readFileSync(join(EXAMPLES, name), 'utf8')
    .replaceAll('http://127.0.0.1:8080/compat/v1', apiRoot)
    .replaceAll('headrace/pebble', model)
}

/** Puts them where the program looks for them, below its home. */
export function placeExample(name: string, bench: Bench, path: string): string {
  const file = join(bench.home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, readExample(name, bench))
  return file
}
