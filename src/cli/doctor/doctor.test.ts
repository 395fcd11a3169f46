import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createCommands } from '../../../test/harness/processes/command.ts'
import { urlForProcess } from '../../../test/harness/servers/database.ts'
import { requireStack } from '../../../test/harness/processes/service.ts'
import { rememberUnknownProxy } from '../../store/sign-in/unknown-proxy.ts'
import { openValkey } from '../../store/valkey/valkey.ts'
import type { Result } from './run-checks.ts'

/** A busy machine is no failure. */
const PATIENT = ['--timeout', '20']
const UNREACHABLE = { HEADRACE_DATABASE_URL: 'postgres://user:a-secret@127.0.0.1:1/headrace' }

const commands = await createCommands()

after(() => commands[Symbol.asyncDispose]())

function read(stdout: string): Result[] {
  return (JSON.parse(stdout) as { checks: Result[] }).checks
}

test('78: an invalid configuration is a failed check in valid JSON', async () => {
  const { code, stdout } = await commands.run(['doctor', '--json'], { HEADRACE_VALKEY_URL: '' })
  assert.equal(code, 78)
  const [first] = read(stdout)
  assert.deepEqual(
    [first?.group, first?.check, first?.verdict, first?.found],
    ['configuration', 'valid', 'failed', 'HEADRACE_VALKEY_URL is not set'],
  )
})

test('a store that is unreachable fails one check and skips its others', async () => {
  const args = ['doctor', '--json', ...PATIENT]
  const { code, stdout } = await commands.run(args, UNREACHABLE)
  assert.equal(code, 1)
  assert.doesNotMatch(stdout, /a-secret/)
  const checks = read(stdout)
  const [reachable, ...others] = checks.filter(({ group }) => group === 'postgresql')
  assert.deepEqual(
    [reachable?.verdict, reachable?.found],
    ['failed', '127.0.0.1:1/headrace: connection refused'],
  )
  assert.deepEqual(new Set(others.map(({ verdict }) => verdict)), new Set(['not_checked']))
  const valkey = checks.find(({ group }) => group === 'valkey')
  assert.equal(valkey?.verdict, 'ok')
})

test('with the role of the worker or the console nothing of PostgreSQL fails', async () => {
  for (const role of ['worker', 'console'] as const) {
    const args = ['doctor', '--json', ...PATIENT, '--only', 'postgresql']
    const own = { HEADRACE_DATABASE_URL: urlForProcess(commands.databaseUrl, role) }
    const checks = read((await commands.run(args, own)).stdout)
    const found = new Map(checks.map(({ check, ...rest }) => [check, rest]))
    // The server of the tests does not wait for the disk.
    const failed = checks.filter(
      ({ verdict, check }) => verdict === 'failed' && check !== 'durability',
    )
    assert.deepEqual(failed, [])
    assert.equal(found.get('rights')?.found, `those of the role headrace_${role}`)
    const sealed = found.get('sealed secrets')?.verdict
    assert.equal(sealed, role === 'worker' ? 'not_checked' : 'ok')
  }
})

test('warnings do not change the exit code, and each says what to do', async () => {
  const { code, stdout } = await commands.run(['doctor', ...PATIENT, '--only', 'console'])
  assert.equal(code, 0)
  assert.match(stdout, /^ {2}! public address +http:\/\/localhost:8081\n +Set console\.public_url/m)
  assert.match(stdout, /docs\/operating\/diagnosis\.md#console/)
})

test('a proxy that the configuration does not name is a warning, for console and API', async () => {
  await using valkey = openValkey([requireStack().valkey.url])
  await valkey.connected(5_000)
  for (const [behind, name] of [
    ['console', 'proxies'],
    ['api', 'API proxies'],
  ] as const) {
    await rememberUnknownProxy(valkey, behind)
    const run = async (environment = {}) => {
      const args = ['doctor', '--json', ...PATIENT, '--only', 'console']
      const { stdout } = await commands.run(args, environment)
      return read(stdout).find(({ check }) => check === name)
    }
    const found = await run()
    assert.equal(found?.verdict, 'warning')
    assert.ok(found.hint?.includes(`${behind}.trusted_proxies`))
    const setting = `HEADRACE_${behind.toUpperCase()}_TRUSTED_PROXIES`
    assert.equal((await run({ [setting]: '1' }))?.verdict, 'ok')
  }
})

test('a process that accepts connections and does not answer has a row that says so', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1')
  t.after(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const args = ['doctor', '--timeout', '3', '--only', 'processes']
  const { code, stdout } = await commands.run(args, { HEADRACE_API_HEALTH_PORT: `${port}` })
  assert.equal(code, 1)
  const row = `✗ http://127\\.0\\.0\\.1:${port}: ready +does not answer in time$`
  assert.match(stdout, new RegExp(row, 'm'))
})

test('one engine, model or plan is not counted as several', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'headrace-doctor-'))
  const file = join(folder.path, 'headrace.yaml')
  const limits = { requests_per_minute: 1, requests_per_day: 1, tokens_per_minute: 1 }
  const plan = { models: 'all', limits: { ...limits, tokens_per_day: 1 } }
  const engine = { name: 'one', kind: 'vllm', url: 'http://127.0.0.1:9', slots: 1 }
  const model = { id: 'test/one', owned_by: 'test', engines: ['one'], context_length: 1_000 }
  const settings = { engines: [engine], models: [model], plans: { only: plan } }
  await writeFile(file, JSON.stringify({ ...settings, default_plan: 'only' }))
  const args = ['doctor', '--json', ...PATIENT, '--only', 'configuration']
  const { stdout } = await commands.run(args, { HEADRACE_CONFIG: file })
  const valid = read(stdout).find(({ check }) => check === 'valid')
  assert.equal(valid?.found, '1 engine, 1 model, 1 plan')
})
