import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'

const GUARD = new URL('guard-memory.ts', import.meta.url).href
const SECRET = 'a-secret-in-memory'

const PROLOGUE = `
  import { pino } from 'pino'
  import { guardMemory } from '${GUARD}'
  guardMemory(pino({ base: null }))
  const failure = Object.assign(new TypeError('${SECRET}\\n    at ${SECRET}'), {
    code: 'ERR_EXAMPLE', cause: new Error('${SECRET}'), body: '${SECRET}',
  })
`

async function run(script: string, limit = '0', args: readonly string[] = []) {
  const node = [...args, '--input-type=module', '--eval', PROLOGUE + script]
  const child = spawn('bash', [
    '-c',
    `ulimit -S -c ${limit}; exec "$@"`,
    '',
    process.execPath,
    ...node,
  ])
  const ended = once(child, 'close')
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  await ended
  return { output: out + errors, code: child.exitCode }
}

describe('a crash logs the error without its message', () => {
  for (const [name, script] of [
    ['an uncaught error', 'setImmediate(() => { throw failure })'],
    ['an unhandled rejection', 'void Promise.reject(failure)'],
    ['a thrown value that is not an Error', `setImmediate(() => { throw '${SECRET}' })`],
    ['a rejection with a value that is not an Error', `void Promise.reject('${SECRET}')`],
  ] as const)
    test(name, async () => {
      const { output, code } = await run(script)
      assert.doesNotMatch(output, /secret/)
      assert.match(output, /"name":"(TypeError","code":"ERR_EXAMPLE|string)"/)
      assert.equal(code, 1)
    })

  test('a warning is logged without its message, and the process continues', async () => {
    const { output, code } = await run(`process.emitWarning('${SECRET}', 'ExampleWarning')`)
    assert.doesNotMatch(output, /secret/)
    assert.match(output, /ExampleWarning/)
    assert.equal(code, 0)
  })
})

describe('settings that write memory to disk on a crash are logged', () => {
  test('core dumps', async () => {
    // With a hard limit of 0 there are no core dumps, and no warning.
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const forbidden = /^Max core file size +\S+ +0 /m.test(limits)
    assert.equal((await run('', 'hard')).output.includes('core dumps are enabled'), !forbidden)
    assert.doesNotMatch((await run('')).output, /core dumps/)
  })

  test('diagnostic reports', async () => {
    const { output } = await run('', '0', ['--report-uncaught-exception'])
    assert.match(output, /diagnostic reports are enabled/)
  })
})
