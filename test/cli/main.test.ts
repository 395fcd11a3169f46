import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createCommands } from '../harness/processes/command.ts'
import { createDatabase, makeOlder } from '../harness/servers/database.ts'

const commands = await createCommands()

after(() => commands[Symbol.asyncDispose]())

const LEAVES = [
  ['migrate'],
  ...['create', 'list', 'show', 'change', 'reset-link', 'reset-factors', 'delete'].map((verb) => [
    'account',
    verb,
  ]),
  ...['create', 'list', 'show', 'change', 'sign-in', 'delete'].map((verb) => [
    'organization',
    verb,
  ]),
  ...['add', 'change', 'remove', 'list'].map((verb) => ['member', verb]),
  ...['create', 'list', 'change', 'archive'].map((verb) => ['project', verb]),
  ...['create', 'list', 'show', 'revoke', 'playground'].map((verb) => ['key', verb]),
  ...['list', 'show'].map((verb) => ['plan', verb]),
  ['capacity'],
  ...['show', 'grant', 'adjust', 'history'].map((verb) => ['balance', verb]),
  ['usage', 'show'],
]

test('every command shows its help without a configuration', async () => {
  const results = await Promise.all(
    LEAVES.map((leaf) => commands.run([...leaf, '--help'], { HEADRACE_CONFIG: '/nowhere' })),
  )
  for (const [at, { code, stdout, stderr }] of results.entries()) {
    const name = LEAVES[at]?.join(' ')
    assert.equal(code, 0, stderr)
    assert.ok(stdout.startsWith(`Usage: headrace ${name}`), stdout)
    assert.match(stdout, /--json/)
  }
})

test('the help of the program lists every command', async () => {
  const { code, stdout } = await commands.run(['--help'])
  assert.equal(code, 0)
  for (const [name] of LEAVES) assert.match(stdout, new RegExp(`^ {2}${name} `, 'm'))
})

test('an invalid command, option or value exits with 1 and refers to the help', async () => {
  const wrong = [
    ['nonsense'],
    ['account', 'nonsense'],
    ['account', 'list', '--nonsense'],
    ['account', 'list', '--limit', '0'],
    ['account', 'list', '--limit', '1001'],
    ['account', 'list', '--after', 'nonsense'],
    ['account', 'create', 'a@example.com', '--state', 'nonsense'],
    ['key', 'create', '--organization', 'acme', '--name', 'x', '--expires', '5 days'],
    ['key', 'create', '--name', 'x'],
    ['organization', 'change', 'acme', '--tokens-per-day', '-1'],
  ]
  for (const args of wrong) {
    const { code, stdout, stderr } = await commands.run(args)
    assert.equal(code, 1, args.join(' '))
    assert.equal(stdout, '')
    assert.match(stderr, /^error: .*\n\(see --help\)\n/, stderr)
  }
})

test('an invalid configuration exits with 78', async () => {
  for (const args of [['account', 'list'], ['plan', 'list'], ['migrate']]) {
    const { code, stderr } = await commands.run(args, { HEADRACE_DATABASE_URL: '' })
    assert.equal(code, 78, args.join(' '))
    assert.match(stderr, /HEADRACE_DATABASE_URL/)
  }
})

test('1: a port in use is reported in one line, and not as an invalid configuration', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const own = { HEADRACE_API_HEALTH_PORT: '0', HEADRACE_CONSOLE_HEALTH_PORT: '0' }
  const used = { HEADRACE_API_PORT: `${port}`, HEADRACE_CONSOLE_PORT: `${port}` }
  for (const command of ['api', 'console']) {
    const { code, stderr } = await commands.run([command], { ...own, ...used })
    assert.equal(code, 1, command)
    const where = `cannot listen on 127.0.0.1:${port}: the port is in use`
    assert.equal(stderr, `headrace: ${where}; stop what uses it, or set another port\n`)
  }
})

test('an unavailable PostgreSQL is reported in one line', async () => {
  const unavailable = { HEADRACE_DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/x' }
  for (const args of [['account', 'list'], ['migrate']]) {
    const { code, stderr } = await commands.run(args, unavailable)
    assert.equal(code, 1)
    assert.match(stderr, /^headrace: PostgreSQL is unavailable: [^\n]*\n$/)
    assert.doesNotMatch(stderr, /secret/)
  }
})

test('a database without the newest migrations is reported in one line with the fix', async () => {
  await using old = await createDatabase()
  await makeOlder(old)
  const { code, stderr } = await commands.run(['account', 'create', 'a@b'], {
    HEADRACE_DATABASE_URL: old.url,
  })
  assert.equal(code, 1)
  assert.equal(stderr, 'headrace: the database is not migrated: run headrace migrate\n')
})

test('migrate reports that there are no pending migrations', async () => {
  const { code, stdout } = await commands.run(['migrate'])
  assert.deepEqual([code, stdout], [0, 'no pending migrations\n'])
  assert.deepEqual(await commands.answer('migrate'), { applied: [] })
})

test('plans are shown as configured', async () => {
  const { stdout } = await commands.run(['plan', 'list'])
  assert.match(stdout, /^name +default .*\nfree +true .*\npaid +false /)
  assert.deepEqual(await commands.answer('plan', 'show', 'paid'), {
    name: 'paid',
    default: false,
    models: [],
    credentials: ['api_key', 'playground'],
    ignored_parameters: [],
    requests_per_minute: 20,
    requests_per_day: 200,
    tokens_per_minute: 2000,
    tokens_per_day: 20_000,
    concurrent_requests: null,
    concurrent_requests_per_key: null,
    concurrent_requests_per_model: [],
    weight: 1,
    priority: 'standard',
    billing: 'none',
    prices: [],
  })
  for (const name of ['nonsense', '__proto__', 'constructor']) {
    const { code, stderr } = await commands.run(['plan', 'show', name])
    assert.deepEqual([code, stderr], [1, `headrace: unknown plan "${name}"\n`])
  }
})
