import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithFile } from '../../test/harness/end-with-file.ts'
import { createCommands } from '../../test/harness/processes/command.ts'
import { DEMO_MODEL, startEnvironment } from '../../test/harness/environment.ts'
import { fleetKey } from '../store/valkey/keys.ts'

const environment = await startEnvironment({ valkey: 'own' })
const commands = await createCommands()
const { apiRoot, healthAddress } = await environment.startApi()
const ofProcess = ['--process', healthAddress]
const caller = await environment.openCaller()
const organizationId = caller.organizationId
const messages = [{ role: 'user', content: 'Tell me about rivers.' }]
const response = await fetch(`${apiRoot}/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: DEMO_MODEL, messages, max_completion_tokens: 20 }),
})
assert.equal(response.status, 200, await response.text())
endWithFile(commands, environment)

async function run(args: readonly string[], variables: Record<string, string> = {}) {
  return commands.run(args, {
    HEADRACE_ENGINE_KEY: 'unused',
    HEADRACE_CONFIG: environment.file,
    HEADRACE_DATABASE_URL: environment.databaseUrl,
    HEADRACE_VALKEY_URL: environment.valkeyUrls.join(),
    ...variables,
  })
}

async function answer(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await run([...args, '--json'])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

type Engine = Readonly<Record<string, unknown>> & { readonly first_token_ms: number }

test('engines are listed with state, capacity and speed', async () => {
  const [engine, ...others] = (await answer('engine', 'list', ...ofProcess)) as Engine[]
  assert.ok(engine)
  assert.deepEqual(others, [])
  assert.equal(engine['engine'], 'local')
  assert.equal(engine['state'], 'ready')
  assert.equal(engine['running'], 0)
  assert.equal(engine['capacity'], engine['found'])
  assert.ok(engine.first_token_ms > 0)
  const { stdout } = await run(['engine', 'list', ...ofProcess])
  assert.match(stdout, /^engine +state +since +order .*\nlocal +ready +/)
})

test('an engine that no process uses is shown without figures', async () => {
  const shown = (await answer(
    'engine',
    'show',
    'local',
    '--process',
    'http://127.0.0.1:1',
  )) as Engine
  const { state, processes, capacity, models } = shown
  assert.deepEqual([state, processes, capacity], [null, 0, null])
  assert.ok((models as string[]).includes(DEMO_MODEL))
})

test('an order is stored, announced and shown, until the engine is enabled', async () => {
  const order = (await answer(
    'engine',
    'drain',
    'local',
    '--note',
    'disk',
    '--by',
    'ann',
  )) as Engine
  assert.deepEqual([order['engine'], order['state'], order['by']], ['local', 'draining', 'ann'])
  const announced = () => environment.valkey.call('HGETALL', [fleetKey('main', 'orders')])
  assert.deepEqual(await announced(), ['local', 'draining'])
  const shown = (await answer('engine', 'show', 'local', ...ofProcess)) as Engine
  assert.deepEqual(
    [shown['order'], shown['ordered_by'], shown['note']],
    ['draining', 'ann', 'disk'],
  )
  await answer('engine', 'disable', 'local')
  assert.deepEqual(await announced(), ['local', 'disabled'])
  await answer('engine', 'enable', 'local')
  assert.deepEqual(await announced(), [])
})

test('an engine that nobody knows is an error', async () => {
  for (const command of ['show', 'drain']) {
    const { code, stdout, stderr } = await run(['engine', command, 'lokal'])
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(stderr, 'headrace: there is no engine with this name\n')
  }
})

test('top shows processes, engines, queues and the organizations that use most', async () => {
  const { code, stdout, stderr } = await run(['top', '--once', '--interval', '0.2', ...ofProcess])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^PROCESS +KIND .*\n127\.0\.0\.1:\d+ +api /)
  assert.match(stdout, /^ENGINE +STATE .*\nlocal +ready /m)
  assert.match(stdout, new RegExp(`^MODEL +RUN .*\\n${DEMO_MODEL} +0 +0 +0 +0$`, 'm'))
  assert.match(stdout, new RegExp(`^${DEMO_MODEL} +${organizationId} +\\d+ +100$`, 'm'))
  for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line)
})

test('a probe of an engine that is not there prints its address and the reason', async () => {
  const variables = { HEADRACE_ENGINES_LOCAL_URL: 'http://127.0.0.1:1' }
  const { code, stdout, stderr } = await run(['engine', 'probe'], variables)
  assert.equal(code, 1)
  assert.match(stdout, /^local +http:\/\/127\.0\.0\.1:1 +reachable +false/m)
  assert.equal(stderr, 'local (http://127.0.0.1:1): connection refused\n')
})
