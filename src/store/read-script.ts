import { readFileSync } from 'node:fs'

/** A script for Valkey, with the pieces that stand before it. */
export function readScript(...files: readonly string[]): string {
  return files.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n')
}
