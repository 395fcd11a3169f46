import { fork } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { CommandAsked, CommandEnded } from './command-host.ts'

export type AskedCommands = AsyncDisposable & {
  /** What the command printed; fails unless it went well. The next one begins after it. */
  ask(args: CommandAsked): Promise<string>
}

/**
 * One process for many commands, because the start of a process costs ten times as much as what
 * most commands do. It is the first command that starts it.
 */
export function openAskedCommands(cwd: string, env: NodeJS.ProcessEnv): AskedCommands {
  let started: ReturnType<typeof startHost> | undefined
  let last: Promise<unknown> = Promise.resolve()
  return {
    async ask(args) {
      const host = (started ??= startHost(cwd, env))
      const asked = last.then(async () => host.ask(args))
      last = asked.catch(() => undefined)
      return asked
    },
    async [Symbol.asyncDispose]() {
      await started?.end()
    },
  }
}

function startHost(cwd: string, env: NodeJS.ProcessEnv) {
  const program = new URL('command-host.ts', import.meta.url)
  const child = fork(program, { cwd, env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  // A command with wrong arguments says so here and ends the process.
  const stderr = child.stderr === null ? Promise.resolve('') : text(child.stderr)
  // Not `close`: it never comes after our own `disconnect()`.
  const exited = once(child, 'exit')
  return {
    async ask(args: CommandAsked): Promise<string> {
      const answered = once(child, 'message') as Promise<[CommandEnded]>
      child.send(args, () => {})
      const ended = await Promise.race([
        answered.then(([message]) => message),
        exited.then(async () => ({ failure: await stderr })),
      ])
      if ('stdout' in ended) return ended.stdout
      throw new Error(`headrace ${args.join(' ')} failed: ${ended.failure}`)
    },
    async end(): Promise<void> {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
