import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { call } from '../../../stack/engines/uv.ts'
import type { Install } from './install.ts'
import type { Program } from './program.ts'

const MODULE = resolve(import.meta.dirname, '..', '..', 'programs', 'go')

/** A program of the Go module in test/programs/go that tries one library, with all its checks. */
export function goProgram(name: string, library: string): Program {
  return {
    name,
    version: versionOf(library),
    install: build(name),
    session: ({ folder }) => ({ file: join(folder, name), parameters: [] }),
  }
}

function versionOf(library: string): string {
  const version = new RegExp(`${library} v(\\S+)`).exec(readSource('go.mod'))?.[1]
  if (version === undefined) throw new Error(`go.mod does not name ${library}`)
  return version
}

function build(name: string): Install {
  const files = globSync(['go.{mod,sum}', 'checks/*.go', `${name}/*.go`], {
    cwd: MODULE,
  }).toSorted()
  return {
    wanted: files.map(readSource).join(''),
    run: (folder) => call('go', ['build', '-o', join(folder, name), `./${name}`], MODULE),
  }
}

function readSource(file: string): string {
  return readFileSync(join(MODULE, file), 'utf8')
}
