import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { matchesGlob, posix, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { parseSource } from '../test/tidy/source.ts'
import { KEPT, pathInPackage } from './list-contents.ts'
import { listDependencies } from './list-dependencies.ts'
import { stripTypes } from './strip-types.ts'

const ROOT = resolve(import.meta.dirname, '..')
const MODULES = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts'))

/** Neither is in the repository as the package has it. */
const WRITTEN = ['package.json', 'web/dist']
/** What `headrace dev` builds from; it refuses to run outside a clone. */
const CLONE_ONLY = ['web']

describe('the package has every file that a module reads', () => {
  for (const path of MODULES.filter((module) => read(module).includes('import.meta.'))) {
    test(path, () => {
      for (const resource of resourcesOf(path))
        assert.ok(isInPackage(resource), `${path} reads ${resource}, which is not in the package`)
    })
  }

  test('a Lua script and a folder are found as resources', () => {
    assert.deepEqual(resourcesOf('src/store/limits/peek.ts'), ['src/store/limits/peek.lua'])
    assert.deepEqual(resourcesOf('src/store/postgres/migrate.ts'), ['migrations'])
  })
})

test('a file of an unknown kind in src/ is refused', () => {
  assert.throws(() => pathInPackage('src/lib/words.bin'), /does not know this kind of file/)
})

test('the dependencies are those of the lock file, and portable', () => {
  const names = listDependencies(ROOT).map((path) => path.replace('node_modules/', ''))
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object }
  for (const name of Object.keys(dependencies)) assert.ok(names.includes(name), name)
  assert.ok(!names.includes('typescript'))
})

test('a stripped module keeps its lines and columns, and imports .js files', () => {
  const source = [
    "import type { A } from './a.ts'",
    "import { b } from '../b.ts'",
    'const c: A = await import("./c.ts") as B',
    "const é = new URL('./d.ts', import.meta.url), e = 'e.ts'",
    'export { b }',
  ].join('\n')
  const lines = stripTypes('src/x.ts', source).split('\n')
  assert.deepEqual(
    lines.map((line) => line.trimEnd()),
    [
      '',
      "import { b } from '../b.js'",
      'const c    = await import("./c.js")',
      "const é = new URL('./d.js', import.meta.url), e = 'e.ts'",
      'export { b }',
    ],
  )
  assert.equal(lines.join('\n').length, source.length)
})

/** Whether the package has the file, or a file of the folder. */
function isInPackage(resource: string): boolean {
  if (resource.startsWith('src/')) return pathInPackage(resource) !== resource
  if (WRITTEN.includes(resource) || CLONE_ONLY.includes(resource)) return true
  return KEPT.some(
    (pattern) => matchesGlob(resource, pattern) || posix.dirname(pattern) === resource,
  )
}

/** Files that the strings of a module name, relative to it, and folders outside of `src/`. */
function resourcesOf(path: string): string[] {
  const { literals } = parseSource(path, read(path))
  return literals
    .map(({ value }) => posix.join(posix.dirname(path), value).replace(/\/$/, ''))
    .filter((found) => !found.endsWith('.ts') && !found.startsWith('..'))
    .filter((found) => WRITTEN.includes(found) || isResource(found))
}

function isResource(path: string): boolean {
  const found = statSync(posix.join(ROOT, path), { throwIfNoEntry: false })
  if (found === undefined) return false
  return found.isFile() || !`${path}/`.startsWith('src/')
}

function read(path: string): string {
  return readFileSync(posix.join(ROOT, path), 'utf8')
}
