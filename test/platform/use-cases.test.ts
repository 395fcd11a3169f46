import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ROUTES } from '../../src/platform/api/routes.ts'
import { SCIM_ROUTES } from '../../src/platform/api/scim/scim-routes.ts'
import { defineChange, type UseCase } from '../../src/platform/use-case/use-case.ts'
import { startConsole } from '../harness/processes/console.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SHELL = { kind: 'operator_shell', name: 'test', request: null } as const

const console_ = await startConsole()
after(() => console_[Symbol.asyncDispose]())

function sources(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts'))
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

type Found = {
  readonly path: string
  readonly name: string
  readonly useCase: UseCase<never, unknown>
}

async function findUseCases(): Promise<Found[]> {
  const found: Found[] = []
  for (const path of sources('src/platform/**/*.ts')) {
    const module = (await import(pathToFileURL(join(ROOT, path)).href)) as Record<string, unknown>
    for (const [name, value] of Object.entries(module))
      if (typeof value === 'function' && 'action' in value && 'kind' in value)
        found.push({ path, name, useCase: value as unknown as UseCase<never, unknown> })
  }
  return found
}

test('every use case has a name for the audit log and a door', async () => {
  const useCases = await findUseCases()
  assert.ok(useCases.length >= 30)
  const behindRoutes = new Set([...ROUTES, ...SCIM_ROUTES].map(({ does }) => does))
  const deeper = ['sign-in', 'payments'].map((area) => `src/platform/${area}/*/*.ts`)
  const callers = sources('src/cli/*.ts', 'src/start/**/*.ts', 'src/platform/*/*.ts', ...deeper)
  const imports = callers.flatMap((path) => importsOf(path))
  const without = useCases.filter(
    ({ path, name, useCase }) =>
      !behindRoutes.has(useCase) &&
      !imports.some((each) => each.file === path && each.names.includes(name)),
  )
  assert.deepEqual(
    without.map(({ path, name }) => `${path} ${name}`),
    [],
  )
  for (const { useCase, name } of useCases)
    assert.match(useCase.action, /^[a-z_]+\.[a-z_]+$/, `${name} is called ${useCase.action}`)
})

const changed = defineChange(
  { action: 'test.change', permission: 'platform:write' },
  async ({ transaction }, input: { readonly id: string; readonly ends: string }) => {
    await transaction
      .insertInto('idempotency_keys')
      .values({ actor: input.id, key: 'x', route: 'x', body_hash: Buffer.alloc(1) })
      .execute()
    if (input.ends === 'badly') throw new Error('the change fails')
    return {
      value: undefined,
      target: { kind: 'test', id: input.id },
      unchanged: input.ends === 'unchanged',
    }
  },
)

test('a change and its audit event are written together, or neither is', async () => {
  const { database } = console_.postgres
  for (const [ends, rows, events] of [
    ['well', 1, 1],
    ['badly', 0, 0],
    ['unchanged', 1, 0],
  ] as const) {
    const id = crypto.randomUUID()
    const made = changed(console_.environment, SHELL, { id, ends })
    if (ends === 'badly') await assert.rejects(made)
    else await made
    const stored = await database
      .selectFrom('idempotency_keys')
      .select('key')
      .where('actor', '=', id)
      .execute()
    const audited = await database
      .selectFrom('audit_events')
      .select(['actor_kind', 'actor_label'])
      .where('target_id', '=', id)
      .execute()
    assert.deepEqual([stored.length, audited.length], [rows, events], ends)
    if (events === 1)
      assert.deepEqual(audited, [{ actor_kind: 'operator_shell', actor_label: 'test' }])
  }
})

/** Deletes what is over, or what a deletion left: nobody's change. */
const NOT_A_CHANGE: ReadonlySet<string> = new Set(['purgeExpired', 'forgetDeleted'])

test('nothing but use cases writes rows of tenants and people', () => {
  const stores = sources('src/store/tenants/*.ts', 'src/store/people/*.ts')
  const writers = new Map(stores.map((path) => [path, writersOf(path)]))
  writers.set('src/store/ledger/double-entry.ts', ['changeFunds'])
  for (const name of ['storeApiKey', 'createOrganization', 'changeMember', 'createInvitation'])
    assert.ok(
      [...writers.values()].some((names) => names.includes(name)),
      name,
    )
  const outside = sources('src/**/*.ts').filter((path) => !/^src\/(platform|store)\//.test(path))
  const found = outside.flatMap((path) =>
    importsOf(path).flatMap(({ file, names }) =>
      names
        .filter((name) => writers.get(file)?.includes(name) === true && !NOT_A_CHANGE.has(name))
        .map((name) => `${path} imports ${name}`),
    ),
  )
  assert.deepEqual(found, [])
  const statements = outside.filter((path) =>
    /\b(insertInto|updateTable|deleteFrom)\(/.test(read(path)),
  )
  assert.deepEqual(statements, [])
})

/** Exported functions of a file that contain a statement which writes. */
function writersOf(path: string): string[] {
  return read(path)
    .split(/^export (?:async )?function /m)
    .slice(1)
    .filter((text) =>
      /\b(insertInto|updateTable|deleteFrom)\(|\b(insert into|update \w+ set|delete from)\b/.test(
        text,
      ),
    )
    .map((text) => /^\w+/.exec(text)?.[0] ?? '')
}

type Import = { readonly file: string; readonly names: readonly string[] }

const IMPORTS = [
  /import \{([^}]*)\}\s*from '(\.[^']*)'/g,
  /const \{([^}]*)\}\s*=\s*await import\('(\.[^']*)'\)/g,
]

/** What a file takes from other files of ours, statically or when it runs. */
function importsOf(path: string): Import[] {
  return IMPORTS.flatMap((expression) =>
    Array.from(read(path).matchAll(expression), ([, names = '', specifier = '']) => ({
      file: posix.join(posix.dirname(path), specifier),
      names: names.split(',').map((name) => name.trim().split(/ as |: /)[0] ?? ''),
    })),
  )
}
