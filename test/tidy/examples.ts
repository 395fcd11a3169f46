/** A file that breaks one rule. Without these a rule that looks at nothing would pass for good. */
type BadExample = GoodExample & { readonly rule: string }
type GoodExample = { readonly path: string; readonly text: string }

const LONG_BODY = '  step()\n'.repeat(70)

const IMPORTS = 'imports go down only'
const ENVIRONMENT = 'only src/config/load.ts reads the environment'
const QUERIES = 'SQL and Lua stand in src/store only'
const REVEALS = 'content is revealed where it is encrypted or exported only'
const EXPORTS = 'exports are named, one by one, where they are written'
const LEFTOVERS = 'nothing is left over from debugging'
const RUNS = 'every test runs'
const SLEEPS = 'tests, proofs and benchmarks do not sleep'
const PAUSE = `import { setTimeout as pause } from 'node:timers/promises'\n`
const NAMES = 'a name says what is inside'
const HEADER = 'a Lua or SQL file opens with its header comment'
const LOWER_CASE = 'only normalEmail changes the case of an email address'
const OLDEST_SQL = 'SQL uses no function that PostgreSQL 16 lacks'
const MACHINE = 'no file knows the machine it was written on'

function bad(rule: string, path: string, ...texts: string[]): BadExample[] {
  return texts.map((text) => ({ rule, path, text }))
}

function good(path: string, ...texts: string[]): GoodExample[] {
  return texts.map((text) => ({ path, text }))
}

export const BAD_SOURCES: readonly BadExample[] = [
  ...bad(
    IMPORTS,
    'src/inference/admit.ts',
    `import { limits } from '../store/limits/limits.ts'`,
    `import type { Account } from '../platform/account.ts'`,
    `export { limits } from '../store/limits/limits.ts'`,
    `export * from '../worker/purge.ts'`,
    `const { limits } = await import('../store/limits/limits.ts')`,
    `type Limits = import('../store/limits/limits.ts').Limits`,
    `import { load } from '../config/load.ts'`,
    `import { serve } from '../start/serve-api.ts'`,
    `import { engine } from '../../test/harness/engine.ts'`,
    `const steps = await import(name)`,
  ),
  ...bad(
    IMPORTS,
    'src/store/limits/limits.ts',
    `import '../../engines/fleet/fleet.ts'`,
    `import '../../http/cors.ts'`,
    `import '../usage/settlements.ts'`,
  ),
  ...bad(IMPORTS, 'src/engines/wire/connections.ts', `import '../adapters/engine.ts'`),
  ...bad(IMPORTS, 'src/tenancy/plan.ts', `import '../http/cors.ts'`),
  ...bad(IMPORTS, 'src/contract/error.ts', `import '../tenancy/plan.ts'`),
  ...bad(IMPORTS, 'src/lib/clock.ts', `import '../contract/error.ts'`),
  ...bad(IMPORTS, 'src/config/schema.ts', `import '../store/limits/limits.ts'`),
  ...bad(IMPORTS, 'src/attic/old.ts', 'export const old = 1'),
  ...bad(
    'a function has at most 70 lines',
    'src/lib/long.ts',
    `function long() {\n${LONG_BODY}}`,
    `const long = async () => {\n${LONG_BODY}}`,
    `class Long {\n  run() {\n${LONG_BODY}}\n}`,
  ),
  ...bad(
    ENVIRONMENT,
    'src/cli/api.ts',
    `const port = process.env.PORT`,
    `const port = process['env'].PORT`,
    `const { env } = process`,
    `import { env } from 'node:process'`,
  ),
  ...bad(
    QUERIES,
    'src/start/serve-api.ts',
    'const query = `select id from api_keys where hash = $1`',
    `const query = 'INSERT INTO ledger values (1)'`,
    `const query = 'update projects set name = $1'`,
    `const script = "return redis.call('GET', KEYS[1])"`,
  ),
  ...bad(
    REVEALS,
    'src/inference/answer.ts',
    'log.info(record.content.reveal())',
    'const { reveal } = content',
    `content['reveal']()`,
  ),
  ...bad(EXPORTS, 'src/lib/ids.ts', `export * from './clock.ts'\nexport const a = 1`),
  ...bad(EXPORTS, 'src/lib/ids.ts', 'export default 1', `export { a } from './clock.ts'`),
  ...bad('an open task names its issue', 'src/lib/ids.ts', '// TODO tidy up', '/* FIXME: soon */'),
  ...bad(LEFTOVERS, 'src/lib/ids.ts', '// Remove before merge.', 'debugger'),
  ...bad(
    RUNS,
    'src/lib/ids.test.ts',
    `test.only('a', () => {})`,
    `describe.skip('a', () => {})`,
    `it.todo('a')`,
    `test('a', (t) => t.skip())`,
    `test('a', { skip: true }, () => {})`,
  ),
  ...bad(
    SLEEPS,
    'test/api/contract.test.ts',
    `await new Promise((resolve) => setTimeout(resolve, 100))`,
    `await new Promise<void>((done) => { setTimeout(() => done(), 100) })`,
    `${PAUSE}await pause(100)`,
    `${PAUSE}// A moment, to be sure.\nawait pause(100)`,
    `import { scheduler } from 'node:timers/promises'\nawait scheduler.wait(100)`,
    `import * as timers from 'timers/promises'\nawait timers.setTimeout(100)`,
  ),
  ...bad(SLEEPS, 'test/prove/limits.ts', `${PAUSE}await Promise.all([load(), pause(100)])`),
  ...bad(SLEEPS, 'test/harness/load.ts', `${PAUSE}// pacing:\nawait pause(100)`),
  ...bad(SLEEPS, 'bench/processes.ts', `${PAUSE}await pause(100)`),
]

export const GOOD_SOURCES: readonly GoodExample[] = [
  ...good(
    'src/inference/admit.ts',
    `import type { Caller } from '../tenancy/caller.ts'\nimport { open } from './open.ts'`,
    `const text = "import { limits } from '../store/limits/limits.ts'"`,
    '// TODO(#12): the sentence names its issue.',
    `const label = 'TODO and debugger are words in a string'`,
    `const hint = 'Choose a project to see the keys from it'`,
    `function short() {\n${'  step()\n'.repeat(68)}}`,
  ),
  ...good('src/store/content/sealed-content.ts', 'seal(content.reveal())'),
  ...good('src/store/limits/limits.ts', 'const query = `select id from api_keys`'),
  ...good(
    'src/store/limits/limits.test.ts',
    `import { connect } from '../../../test/harness/servers.ts'`,
  ),
  ...good('src/config/load.ts', `import { schema } from './schema.ts'\nconst all = process.env`),
  ...good('src/main.ts', `await import('./cli/api.ts')`),
  ...good('src/lib/ids.test.ts', `describe('ids', () => {\n${LONG_BODY}})`),
  ...good(
    'test/api/contract.test.ts',
    `import { setImmediate } from 'node:timers/promises'`,
    `new Promise((resolve, reject) => { setTimeout(() => reject(late), 900); on(resolve) })`,
    `// time is under test: the idle limit ends a silent stream.\n` +
      `await new Promise((resolve) => setTimeout(resolve, 100))`,
  ),
  ...good('test/prove/limits.ts', `${PAUSE}// pacing: a client thinks.\nawait pause(100)`),
  ...good('src/worker/run-jobs.ts', `${PAUSE}await pause(100)`),
]

export const BAD_TEXTS: readonly BadExample[] = [
  ...bad('a file has at most 300 lines', 'src/lib/long.ts', 'x\n'.repeat(301)),
  ...bad('a line has at most 100 columns', 'src/store/limits/limits.lua', `-- ${'x'.repeat(98)}`),
  ...bad(NAMES, 'src/lib/utils.ts', ''),
  ...bad(NAMES, 'src/common/clock.ts', ''),
  ...bad(NAMES, 'src/store/connection-pool/Helpers.test.ts', ''),
  ...bad(NAMES, 'src/store/index.ts', ''),
  ...bad(HEADER, 'src/store/limits/limits.lua', '', 'local key = KEYS[1]'),
  ...bad(HEADER, 'migrations/0001.sql', 'create table a ();'),
  ...bad(
    'an open task names its issue, outside TypeScript too',
    'src/store/limits/limits.lua',
    '-- TODO count',
  ),
  ...bad(
    LOWER_CASE,
    'src/store/people/members.ts',
    ".where(sql`lower(accounts.email)`, '=', sql`lower(${reference})`)",
    'where lower(email) = lower(${given})',
    'const key = subject.email.toLowerCase()',
  ),
  ...bad(OLDEST_SQL, 'src/store/payments/fees.ts', 'select uuidv7(), amount'),
  ...bad(OLDEST_SQL, 'migrations/0001.sql', '-- Ids\nid uuid default uuidv7()'),
  // Put together from parts, so that this file keeps the rule it shows.
  ...bad(
    MACHINE,
    'docs/setup.md',
    `cd ${['', 'home', 'ada', 'headrace'].join('/')}`,
    `cd ${['', 'Users', 'ada', 'headrace'].join('/')}`,
    `cat ${['', 'root', 'notes'].join('/')}`,
    `see ${['..', 'shared', 'notes.md'].join('/')}`,
    `see ${['', 'srv', 'checkout', 'notes.md'].join('/')}`,
    `from ${['https:', '', ['registry', 'npmjs', 'org'].join('.'), 'pg'].join('/')}`,
    `deb ${['http:', '', ['deb', 'debian', 'org'].join('.'), 'debian'].join('/')}`,
  ),
  ...bad(MACHINE, '.npmrc', ['registry', 'https://packages.example'].join('=')),
  ...bad(MACHINE, 'package-lock.json', ['"resolved"', '"https://packages.example"'].join(': ')),
]

export const GOOD_TEXTS: readonly GoodExample[] = [
  ...good('src/lib/fine.ts', 'x\n'.repeat(300), 'é'.repeat(100)),
  ...good('src/store/limits/limits.lua', '-- KEYS[1] the partition\nreturn 1'),
  ...good('src/lib/common-log-format.ts', ''),
  ...good('src/store/people/members.ts', "sql`lower(email)`, '=', normalEmail(given)"),
  ...good('src/store/payments/fees.ts', 'select gen_random_uuid(), uuidV7()'),
  ...good('docs/setup.md', 'long prose '.repeat(20), 'open ~/headrace or https://x.test/home/a'),
]
