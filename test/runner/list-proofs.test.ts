import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { posix } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../suites.ts'
import { listProofs, reasonToProve } from './list-proofs.ts'

const PROOFS = listProofs()
const FILES = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
).split('\0')

function chosenFor(path: string): string[] {
  return PROOFS.filter((proof) => reasonToProve(proof, [path]) !== undefined).map(
    ({ name }) => name,
  )
}

test('every proof says which files it covers, and each pattern matches a file', () => {
  for (const { name, covers } of PROOFS) {
    assert.ok(covers.length > 0, `${name} has no line "covers:"`)
    for (const pattern of covers)
      assert.ok(
        FILES.some((path) => posix.matchesGlob(path, pattern)),
        `${name}: ${pattern} matches nothing`,
      )
  }
})

test('every folder of src is covered by a proof', () => {
  const sources = FILES.filter((path) => /^src\/.*(?<!\.test)\.(ts|lua)$/.test(path))
  const folders = new Set(sources.map((path) => posix.dirname(path)))
  const uncovered = [...folders].filter(
    (folder) =>
      !sources.some((path) => posix.dirname(path) === folder && chosenFor(path).length > 0),
  )
  assert.deepEqual(uncovered, [])
})

test('a change chooses the proofs that cover it, and a proof its own', () => {
  assert.ok(chosenFor('src/store/limits/limits.lua').includes('limits'))
  assert.ok(chosenFor('web/src/pages/keys/new-page.tsx').includes('accessibility'))
  assert.deepEqual(chosenFor('test/prove/kill/anything.ts'), ['kill'])
  assert.deepEqual(chosenFor('src/store/limits/limits.test.ts'), [])
  assert.equal(chosenFor('package-lock.json').length, PROOFS.length)
})
