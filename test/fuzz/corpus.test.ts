import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf } from './fuzz-loop.ts'
import { readCorpus } from './saved-corpus.ts'
import { openTarget, TARGETS } from './target.ts'

for (const name of TARGETS) {
  test(`the saved inputs of ${name} break no guarantee`, async () => {
    const target = await openTarget(name)
    const corpus = readCorpus(name)
    assert.ok(corpus.length > 0, 'no corpus')
    for (const input of [...target.seeds, ...corpus]) {
      const error = await errorOf(target, input)
      assert.equal(
        error,
        undefined,
        `${JSON.stringify(input.toString('latin1'))}: ${String(error)}`,
      )
    }
    await target.close?.()
  })
}
