import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { passSignals } from '../processes/pass-signals.ts'

const ROOT = resolve(import.meta.dirname, '..', '..', '..')
/** The exit code of `stack/stack.ts up` on a machine that cannot run the servers at all. */
const CANNOT_RUN = 3

/**
 * Starts the servers that tests need, unless they run, and another engine if one is named. False if
 * this machine cannot run them.
 */
export async function bringUpStack(engine?: string): Promise<boolean> {
  const further = engine === undefined ? [] : ['--engine', engine]
  const code = await runNode(['stack/stack.ts', 'up', ...further])
  if (code !== 0 && code !== CANNOT_RUN) throw new Error(`the stack did not start (${code})`)
  return code === 0
}

/** The engine that scripts of ours use from now on, instead of llama-server. */
export function chooseEngine(kind: string | undefined): void {
  process.env['HEADRACE_PROOF_ENGINE'] = kind
}

/** Runs a script of ours with this Node.js and resolves to its exit code. */
export async function runNode(command: readonly string[]): Promise<number> {
  const { promise, resolve: finish, reject } = Promise.withResolvers<number>()
  const child = spawn(process.execPath, command, { cwd: ROOT, stdio: 'inherit' })
  child.once('error', reject)
  child.once('close', (code) => finish(code ?? 1))
  passSignals(child)
  return promise
}
