import { posix } from 'node:path'

import type { Fault, SourceFile } from './source.ts'

/**
 * Who may import whom under src/. A room may always import from itself; what is not listed is
 * refused, so a new room or a new edge is a decision somebody writes down here.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  main: ['commands', 'config', 'contract', 'lib'],
  commands: [
    'inference',
    'console',
    'worker',
    'engines',
    'store',
    'http',
    'tenancy',
    'contract',
    'lib',
    'config',
  ],
  // No store: a step of the data plane declares the little it needs, and a command hands it over.
  inference: ['engines', 'http', 'tenancy', 'contract', 'lib'],
  console: ['engines', 'store', 'http', 'tenancy', 'contract', 'lib'],
  worker: ['engines', 'store', 'http', 'tenancy', 'contract', 'lib'],
  engines: ['tenancy', 'contract', 'lib'],
  store: ['tenancy', 'contract', 'lib'],
  http: ['tenancy', 'contract', 'lib'],
  tenancy: ['contract', 'lib'],
  contract: ['lib'],
  lib: [],
  config: ['tenancy', 'contract', 'lib'],
}

/** Files that stand directly in src/ and the room each counts as. */
const ROOM_OF_FILE: Readonly<Record<string, string>> = {
  'src/main.ts': 'main',
  'src/config.ts': 'config',
  'src/config-schema.ts': 'config',
  'src/config-nodes.ts': 'config',
  'src/config-plans.ts': 'config',
  'src/config-metering.ts': 'config',
  'src/config-references.ts': 'config',
  'src/printable-config.ts': 'config',
}

/** A test beside its source may lean on these, the source itself may not. */
const OPEN_TO_TESTS = ['test/harness/', 'stack/', 'docs/', 'openapi/']

export function findForbiddenImports(source: SourceFile): Fault[] {
  if (!source.path.startsWith('src/')) return []
  const room = roomOf(source.path)
  const allowed = room === null ? undefined : MAY_IMPORT[room]
  if (room === null || !allowed) {
    return [{ line: 1, message: 'stands in no room of the house' }]
  }
  return source.imports.flatMap(({ line, specifier }) => {
    const message = judge(source.path, room, allowed, specifier)
    return message === null ? [] : [{ line, message }]
  })
}

function judge(
  path: string,
  room: string,
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
  const targetRoom = roomOf(target)
  if (targetRoom === room || (targetRoom !== null && allowed.includes(targetRoom))) return null
  return `${room} may not import ${targetRoom ?? target}`
}

function roomOf(path: string): string | null {
  const folder = /^src\/([^/]+)\//.exec(path)?.[1]
  if (folder !== undefined) return folder
  return ROOM_OF_FILE[path.replace(/\.test\.ts$/, '.ts')] ?? null
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}
