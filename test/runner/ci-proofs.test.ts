import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { chooseShard, readCiProofs } from './ci-proofs.ts'
import { readDurations } from './durations.ts'

const SHARDS = [1, 2, 3, 4, 5, 6]

test('a line names a proof, its options and whether it may run beside others', () => {
  assert.deepEqual(readCiProofs('# a comment\nkill --kills 25\n\nsso --short | beside\n'), [
    { name: 'kill', options: ['--kills', '25'], beside: false },
    { name: 'sso', options: ['--short'], beside: true },
  ])
  assert.throws(() => readCiProofs('sso | besides'), /"beside" or nothing/)
})

test('each proof of CI exists, and is in exactly one of the shards', () => {
  const proofs = readCiProofs()
  const files = new Set(readdirSync(new URL('../prove/', import.meta.url)))
  for (const { name } of proofs) assert.ok(files.has(`${name}.ts`), name)
  const dealt = SHARDS.flatMap((shard) => chooseShard(proofs, shard, SHARDS.length))
  assert.deepEqual(
    dealt.map(({ name }) => name).toSorted(),
    proofs.map(({ name }) => name).toSorted(),
  )
})

test('shards take about as long as each other', () => {
  const known = { a: 100, b: 50, c: 40, d: 30, e: 20, f: 10 }
  const proofs = readCiProofs(Object.keys(known).join('\n'))
  const seconds = [1, 2].map((shard) =>
    chooseShard(proofs, shard, 2, known).reduce(
      (sum, { name }) => sum + known[name as keyof typeof known],
      0,
    ),
  )
  assert.deepEqual(seconds, [130, 120])
})

test('only proofs that exist have a recorded duration', () => {
  const names = new Set(readCiProofs().map(({ name }) => name))
  assert.deepEqual(
    Object.keys(readDurations().proofs).filter((name) => !names.has(name)),
    [],
  )
})
