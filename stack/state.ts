import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const projectFolder = resolve(import.meta.dirname, '..')
export const stackFolder = join(projectFolder, '.stack')
const statePath = join(stackFolder, 'stack.json')

/** `pid` and `started` are missing with Docker Compose, where the servers run in containers. */
export type ServerState = { url: string; pid?: number; started?: string }

/** The addresses of the three servers of the development stack, and of further engines. */
export type Stack = {
  postgres: ServerState
  valkey: ServerState
  engine: ServerState & { apiKey: string }
  vllm?: ServerState
  sglang?: ServerState
}

export type ServerName = keyof Stack

/** The servers that always run. */
export const USUAL_NAMES = ['postgres', 'valkey', 'engine'] as const
export type UsualName = (typeof USUAL_NAMES)[number]

/** The stack as `up` recorded it, or undefined if it is down. A server may have died since. */
export function readStack(): Stack | undefined {
  const { postgres, valkey, engine, ...others } = readPartialStack()
  return postgres && valkey && engine ? { postgres, valkey, engine, ...others } : undefined
}

/** Some servers may be missing while `up` runs or after it failed. */
export function readPartialStack(): Partial<Stack> {
  try {
    return JSON.parse(readFileSync(statePath, 'utf8')) as Partial<Stack>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`cannot read ${statePath}`, { cause: error })
  }
}

export function writeStack(stack: Partial<Stack>): void {
  const draft = `${statePath}.draft`
  // The file contains the engine's API key.
  writeFileSync(draft, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, statePath)
}
