import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { apiRoot, createKey } from '../control-client.ts'
import { PEBBLE } from '../models.ts'
import { PYTHON } from '../openai-python/install.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')

/** Runs an example as its first comment says; its arguments and standard input are the user's. */
async function run(
  key: string,
  name: string,
  parameters: string[] = [],
  input = '',
  root = apiRoot,
) {
  const program = name.endsWith('.py') ? PYTHON : process.execPath
  const child = spawn(program, [join(EXAMPLES, name), ...parameters], {
    env: { HEADRACE_BASE_URL: root, AT_ONCE: '22', HEADRACE_API_KEY: key, HEADRACE_MODEL: PEBBLE },
  })
  child.stdin.end(input)
  const [printed, complained, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  return { printed, complained, code }
}

type Line = { content?: string; error?: string; waits?: number }

const readLines = (printed: string) =>
  printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)

describe('examples', () => {
  test('tool-loop.mjs calls the tool and prints an answer with its result', async () => {
    const { printed, complained, code } = await run(await createKey(), 'tool-loop.mjs')
    assert.equal(code, 0, complained)
    assert.match(complained, /get_weather: Paris/)
    assert.match(printed, /sunny/i)
  })

  test('structured_output.py prints JSON that follows the schema', async () => {
    const question = 'Extract the person: Bob is 42 years old.'
    const { printed, complained } = await run(await createKey(), 'structured_output.py', [question])
    assert.deepEqual(JSON.parse(printed || 'null'), { name: 'Bob', age: 42 }, complained)
  })

  test('batch.py answers every line, also beyond what the minute allows at once', async () => {
    const prompts = 'What is the capital of France?\n'.repeat(22)
    const key = await createKey('few-per-minute')
    const { printed, complained, code } = await run(key, 'batch.py', [], prompts)
    assert.equal(code, 0, complained + printed)
    assert.equal(readLines(printed).filter(({ content }) => content !== undefined).length, 22)
    assert.match(complained, /22 answered, 0 failed/)
  })

  test('batch.py waits as long as a refusal says, and then asks again', async () => {
    // The refusal of a proxy, so that it comes for certain, whatever the speed of the machine.
    let refusals = 0
    const proxy = createServer((request, response) => {
      if (refusals++ === 0) {
        const error = { message: 'Wait.', type: 'rate_limit_error', param: null, code: 'limited' }
        const headers = { 'retry-after': '1', 'retry-after-ms': '250', 'x-request-id': 'one' }
        response.writeHead(429, headers).end(JSON.stringify({ error }))
        return
      }
      const { method = '', url = '', headers } = request
      const { authorization = '' } = headers
      const type = { authorization, 'content-type': 'application/json' }
      void text(request)
        .then((body) => fetch(new URL(url, apiRoot), { method, headers: type, body }))
        .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    try {
      const { port } = proxy.address() as AddressInfo
      const root = `http://127.0.0.1:${port}${new URL(apiRoot).pathname}`
      const prompt = 'What is the capital of France?'
      const { printed, complained } = await run(await createKey(), 'batch.py', [], prompt, root)
      const [line] = readLines(printed)
      assert.deepEqual([line?.waits, line?.error], [1, undefined], complained)
      assert.ok(line?.content)
    } finally {
      proxy.close()
    }
  })

  test('batch.py gives up at once where a daily limit is used up', async () => {
    const key = await createKey('one-per-day')
    const { printed, code } = await run(key, 'batch.py', [], 'One.\nTwo.\n')
    const errors = readLines(printed).flatMap(({ error }) => error ?? [])
    assert.equal(code, 1)
    assert.deepEqual(errors, ['rate_limit_exceeded'])
  })
})
