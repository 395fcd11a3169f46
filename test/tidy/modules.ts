import { posix } from 'node:path'

import type { Violation, SourceFile } from './source.ts'

const BASE = ['tenancy', 'contract', 'lib']
const ENGINES = ['engines/adapters', 'engines/fleet']
const DISCOVERING = [...ENGINES, 'engines/discovery']
const STORE = [
  'store/postgres',
  'store/valkey',
  'store/tenants',
  'store/limits',
  'store/fleet',
  'store/usage',
  'store/ledger',
  'store/payments',
  'store/content',
  'store/people',
  'store/sign-in',
]

/**
 * Who may import whom under src/. A module may always import from itself; what is not listed is
 * refused, so a new module or a new edge is a decision somebody writes down here.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  main: ['cli'],
  cli: [
    'start',
    'config',
    'platform',
    'platform/mail',
    'payments',
    ...DISCOVERING,
    ...STORE,
    ...BASE,
  ],
  start: [
    'config',
    'payments',
    'payments/stripe',
    'inference',
    'platform',
    'platform/api',
    'platform/web',
    'platform/sign-in/identity',
    'platform/mail',
    'worker',
    'http',
    ...DISCOVERING,
    'engines/wire',
    ...STORE,
    ...BASE,
  ],
  // No store: a step of the data plane declares what it needs, and start/ passes it in.
  inference: ['http', ...ENGINES, ...BASE],
  // Routes call use cases. The store is for answers that are kept, and for its errors and types.
  'platform/api': [
    'platform',
    'platform/sign-in/identity',
    'http',
    'store/people',
    'store/tenants',
    'store/postgres',
    ...BASE,
  ],
  platform: ['platform/sign-in/identity', 'platform/mail', 'payments', ...STORE, ...BASE],
  'platform/web': ['http', ...BASE],
  'platform/sign-in/identity': BASE,
  'platform/mail': BASE,
  worker: ['http', ...ENGINES, ...STORE, ...BASE],
  config: BASE,
  'engines/fleet': ['engines/adapters', ...BASE],
  'engines/discovery': ['lib'],
  'engines/adapters': ['engines/wire', ...BASE],
  'engines/wire': ['lib'],
  'payments/stripe': ['payments', ...BASE],
  payments: BASE,
  'store/content': ['store/tenants', 'store/postgres', ...BASE],
  'store/sign-in': ['store/tenants', 'store/postgres', 'store/valkey', ...BASE],
  'store/people': ['store/tenants', 'store/postgres', 'store/valkey', ...BASE],
  'store/ledger': ['store/tenants', 'store/postgres', 'store/valkey', ...BASE],
  'store/payments': ['store/tenants', 'store/postgres', ...BASE],
  'store/usage': ['store/valkey', ...BASE],
  'store/limits': ['store/valkey', ...BASE],
  'store/fleet': ['store/postgres', 'store/valkey', ...BASE],
  'store/tenants': ['store/postgres', ...BASE],
  'store/valkey': ['lib'],
  'store/postgres': BASE,
  http: BASE,
  tenancy: ['contract', 'lib'],
  contract: ['lib'],
  lib: [],
}

/** A test beside its source may lean on these, the source itself may not. */
const OPEN_TO_TESTS = ['test/harness/', 'stack/', 'docs/', 'openapi/']

export function findForbiddenImports(source: SourceFile): Violation[] {
  if (!source.path.startsWith('src/')) return []
  const module = moduleOf(source.path)
  const allowed = module === null ? undefined : MAY_IMPORT[module]
  if (module === null || !allowed) {
    return [{ line: 1, message: 'is in no module' }]
  }
  return source.imports.flatMap(({ line, specifier }) => {
    const message = judge(source.path, module, allowed, specifier)
    return message === null ? [] : [{ line, message }]
  })
}

function judge(
  path: string,
  module: string,
  allowed: readonly string[],
  specifier: string | null,
): string | null {
  if (specifier === null) return 'a dynamic import must name its file'
  if (specifier.startsWith('/') || specifier.startsWith('#')) return `imports ${specifier}`
  if (!specifier.startsWith('.')) return null
  const target = posix.join(posix.dirname(path), specifier)
  if (!target.startsWith('src/')) {
    const open = isTest(path) && OPEN_TO_TESTS.some((folder) => target.startsWith(folder))
    return open ? null : `src/ imports ${target}`
  }
  const targetModule = moduleOf(target)
  if (targetModule === module || (targetModule !== null && allowed.includes(targetModule)))
    return null
  // A test may set up its case with the other parts of its module.
  if (isTest(path) && targetModule?.split('/')[0] === module.split('/')[0]) return null
  return `${module} may not import ${targetModule ?? target}`
}

/** The innermost module that a file stands in: `engines/wire` before `engines`. */
function moduleOf(path: string): string | null {
  if (/^src\/main(\.test)?\.ts$/.test(path)) return 'main'
  const [top, ...below] = posix.dirname(path).split('/')
  const [module] = below
  if (top !== 'src' || module === undefined) return null
  const folders = below.map((_, index) => below.slice(0, index + 1).join('/'))
  return folders.findLast((folder) => Object.hasOwn(MAY_IMPORT, folder)) ?? module
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}
