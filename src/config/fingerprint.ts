import { createHash } from 'node:crypto'
import { isObject } from '../lib/is-object.ts'
import { printableConfig } from './printable.ts'
import type { Config } from './schema.ts'
import { SECRETS_OF } from './secrets-of.ts'

/** Where a process listens and how much it logs. Processes of one service differ in these. */
const OF_ONE_PROCESS: Readonly<Record<string, readonly string[]>> = {
  api: ['host', 'port', 'health_port', 'log_level', 'access_log'],
  worker: ['health_port'],
  console: ['port', 'health_port'],
}

/** Secrets that not every process reads. */
const OF_SOME_PROCESSES: readonly string[] = Object.values(SECRETS_OF)
  .flat()
  .filter((name) => name !== 'engines' && !SECRETS_OF.migrate.some((shared) => shared === name))

/**
 * Identifies the settings that all processes of a service must share: SHA-256, without secrets,
 * which not every process has. Of the stores their hosts and the database count.
 */
export function fingerprintOf(config: Config): string {
  // Masked below, in every process alike.
  const engines = config.engines.map((engine) => ({ ...engine, api_key: '' }))
  const printable = printableConfig({ ...config, engines })
  const shared = Object.entries(printable)
    .filter(([name]) => !OF_SOME_PROCESSES.includes(name))
    .map(([name, section]) => [name, withoutOwn(section, OF_ONE_PROCESS[name] ?? [])])
  return createHash('sha256')
    .update(JSON.stringify(sorted(Object.fromEntries(shared))))
    .digest('hex')
}

function withoutOwn(section: unknown, own: readonly string[]): unknown {
  if (!isObject(section)) return section
  return Object.fromEntries(Object.entries(section).filter(([name]) => !own.includes(name)))
}

/** The order of settings in the file does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])]),
  )
}
