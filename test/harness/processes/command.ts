import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { readPartialStack } from '../../../stack/state.ts'
import { openAskedCommands } from './ask-commands.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { createDatabase } from '../servers/database.ts'

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

const CONFIG = `
engines: []
models: []
plans:
  free:
    models: all
    credentials: [playground]
    limits:
      requests_per_minute: 10
      requests_per_day: 100
      tokens_per_minute: 1000
      tokens_per_day: 10000
  paid:
    models: []
    credentials: [api_key, playground]
    limits:
      requests_per_minute: 20
      requests_per_day: 200
      tokens_per_minute: 2000
      tokens_per_day: 20000
default_plan: free
tracing:
  link: https://traces.example.com/{trace_id}
`

export type CommandResult = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export type Commands = {
  readonly databaseUrl: string
  readonly valkeyUrl: string
  readonly signingKey: string
  /** Runs one command to its end in a process of its own, as an operator would. */
  run(args: readonly string[], environment?: Record<string, string>): Promise<CommandResult>
  /**
   * Runs a command with --json and reads its answer; fails unless the command went well. All of
   * them share a process: what a start, an exit code or standard error says needs `run`.
   */
  answer(...args: string[]): Promise<Record<string, unknown>>
  [Symbol.asyncDispose](): Promise<void>
}

/** The headrace command with a configuration, a database and the stack's Valkey behind it. */
export async function createCommands(): Promise<Commands> {
  const valkeyUrl = readPartialStack().valkey?.url
  if (valkeyUrl === undefined)
    throw new Error('Valkey is not up: start the development stack first')
  const database = await createDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'headrace-command-'))
  const signingKey = randomBytes(32).toString('base64url')
  await writeFile(join(folder, 'headrace.yaml'), CONFIG)
  const environment = {
    ...COMPILE_CACHE,
    HEADRACE_DATABASE_URL: database.url,
    HEADRACE_VALKEY_URL: valkeyUrl,
    HEADRACE_SIGNING_KEY: signingKey,
  }
  const run: Commands['run'] = async (args, more = {}) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: folder,
      env: { ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      ended,
    ])
    return { code, stdout, stderr }
  }
  const asked = openAskedCommands(folder, environment)
  return {
    databaseUrl: database.url,
    valkeyUrl,
    signingKey,
    run,
    async answer(...args) {
      return JSON.parse(await asked.ask([...args, '--json'])) as Record<string, unknown>
    },
    async [Symbol.asyncDispose]() {
      await asked[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
      await database[Symbol.asyncDispose]()
    },
  }
}
