import { readFileSync, writeFileSync } from 'node:fs'

/** Seconds that test files and proofs took on a machine with two cores and nothing else to do. */
type Durations = { readonly tests: Seconds; readonly proofs: Seconds }
type Seconds = Readonly<Record<string, number>>

const FILE = new URL('../durations.json', import.meta.url)

export function readDurations(): Durations {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Durations
}

/** Replaces what is known of those that ran and forgets those that are gone. */
export function recordDurations(
  kind: keyof Durations,
  taken: Seconds,
  exists: (name: string) => boolean,
): void {
  const known = readDurations()
  const merged = Object.entries({ ...known[kind], ...taken })
    .filter(([name]) => exists(name))
    .map(([name, seconds]) => [name, Math.round(seconds * 10) / 10] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  const durations = { ...known, [kind]: Object.fromEntries(merged) }
  writeFileSync(FILE, `${JSON.stringify(durations, null, 2)}\n`)
}

/** What takes longest begins first, so that nothing long runs alone at the end. New ones lead. */
export function longestFirst(names: readonly string[], known: Seconds): string[] {
  const seconds = (name: string) => known[name] ?? Infinity
  return names.toSorted((one, other) => Math.sign(seconds(other) - seconds(one)) || 0)
}
