import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, loadConfig } from '../../../src/config/load.ts'

export const folder = mkdtempSync(join(tmpdir(), 'headrace-config-'))
// Test files that share a process share this module, so the end of one file is too early.
process.once('exit', () => rmSync(folder, { recursive: true }))

export const SIGNING_KEY = Buffer.alloc(32, 7).toString('base64url')
export const ENVIRONMENT = {
  HEADRACE_DATABASE_URL: 'postgres://user:word@db.example.com:5432/headrace?sslmode=require',
  HEADRACE_VALKEY_URL: 'redis://127.0.0.1:6379',
}
export const MINIMAL = `
engines: [{ name: one, kind: vllm, url: 'http://127.0.0.1:8000', slots: 1 }]
models: [{ id: example/large, owned_by: example, engines: [one] }]
plans:
  free:
    models: all
    limits:
      { requests_per_minute: 1, requests_per_day: 2, tokens_per_minute: 3, tokens_per_day: 4 }
default_plan: free
`

export function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

export function load(text: string, environment: Record<string, string> = {}) {
  const file = write('headrace.yaml', text)
  return loadConfig({ file, environment: { ...ENVIRONMENT, ...environment } })
}

export function problemsOf(run: () => unknown): readonly string[] {
  try {
    run()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    assert.equal(error.exitCode, 78)
    return error.problems.map((problem) => problem.replaceAll(`${folder}/`, ''))
  }
  return []
}
