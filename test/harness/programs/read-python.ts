import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pythonPackages } from './install.ts'
import type { Program } from './program.ts'

const SHARED = join(import.meta.dirname, 'python')
const BLOCK = /^# \/\/\/ script\n((?:#.*\n)+?)# \/\/\/$/m

/**
 * A Python script says in the block that Python has for it (`# /// script`) which packages it
 * needs; the first is the program, and `[tool.headrace]` has its name.
 */
export function readPython(file: string): Program {
  const text = BLOCK.exec(readFileSync(file, 'utf8'))?.[1]?.replaceAll(/^# ?/gm, '')
  const list = /^dependencies = \[((?:[^"\]]|"[^"]*")*)\]/m.exec(text ?? '')?.[1] ?? ''
  const packages = [...list.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? '')
  const name = /^name = "(.+)"$/m.exec(text ?? '')?.[1]
  const version = packages[0]?.split('==')[1]
  if (name === undefined || version === undefined) throw new Error(`${file} has no such block`)
  return {
    name,
    version,
    install: pythonPackages(...packages),
    session: ({ folder }) => ({
      file: join(folder, 'bin', 'python'),
      // Without -P, a script of the name of a package would be taken for it.
      parameters: ['-P', file],
      environment: { PYTHONPATH: SHARED, PYTHONUNBUFFERED: '1' },
    }),
  }
}
