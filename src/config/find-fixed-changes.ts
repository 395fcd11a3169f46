import { isObject } from '../lib/is-object.ts'
import type { Config } from './schema.ts'

/** What a running process can change. Anything else takes effect at its next start. */
const RELOADABLE: ReadonlySet<string> = new Set(['engines', 'models', 'plans', 'default_plan'])

/** The names of the settings that differ and need a restart. */
export function findFixedChanges(before: Config, after: Config): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter((name) => !RELOADABLE.has(name))
    .flatMap((name) => {
      const [old, now] = [before, after].map((config): unknown => config[name as keyof Config])
      if (isSame(old, now)) return []
      if (!isObject(old) || !isObject(now)) return [name]
      const keys = new Set([...Object.keys(old), ...Object.keys(now)])
      return [...keys].filter((key) => !isSame(old[key], now[key])).map((key) => `${name}.${key}`)
    })
}

function isSame(some: unknown, other: unknown): boolean {
  return JSON.stringify(some) === JSON.stringify(other)
}
