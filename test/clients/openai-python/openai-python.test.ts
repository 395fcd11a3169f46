import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, test } from 'node:test'
import { PYTHON } from './install.ts'

const CASES = join(import.meta.dirname, 'cases.py')
const CASES_COUNT = 15
/** Enough for all cases; a client that hangs must not delay the others. */
const LIMIT_MS = 60_000

type Outcome = { readonly name: string; readonly error: string | null }

const outcomes: Outcome[] = []
const exitCode = await runCases()

describe('openai 3.49.0 for Python', () => {
  for (const { name, error } of outcomes) {
    test(name, () => assert.ok(error === null, error ?? ''))
  }

  test('every case ran', () => {
    assert.equal(exitCode, 0)
    assert.equal(outcomes.length, CASES_COUNT)
  })
})

async function runCases(): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  const controlUrl = process.argv[2] ?? ''
  const child = spawn(PYTHON, [CASES, controlUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  })
  child.once('error', reject)
  child.once('close', resolve)
  for await (const line of createInterface({ input: child.stdout })) {
    outcomes.push(JSON.parse(line) as Outcome)
  }
  return promise
}
