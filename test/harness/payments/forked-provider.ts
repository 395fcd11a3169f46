import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { controlOf } from './provider-client.ts'
import type { ProviderOptions } from './scripted-provider.ts'

const PROGRAM = new URL('provider-process.ts', import.meta.url)

/**
 * The scripted provider as a process of its own. Whenever it is killed it starts again on the same
 * port, with what it had answered for.
 */
export async function forkProvider(options: Omit<ProviderOptions, 'port'>) {
  let port = 0
  let starts = 0
  let ended = false
  let child: ChildProcess
  const start = async () => {
    child = fork(PROGRAM, [JSON.stringify({ ...options, port })])
    child.once('exit', () => ended || void start())
    const [message] = (await once(child, 'message')) as [{ port: number }]
    port = message.port
    starts += 1
  }
  await start()
  return {
    ...controlOf(`http://127.0.0.1:${port}`),
    starts: () => starts,
    async [Symbol.asyncDispose]() {
      ended = true
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
