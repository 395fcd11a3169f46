import { fork } from 'node:child_process'
import { once } from 'node:events'

/**
 * A relay to an engine in a process of its own. Clients that leave through it show what one more
 * process on the path costs on this machine at this moment.
 */
export async function startRelay(engineUrl: string): Promise<AsyncDisposable & { url: string }> {
  const child = fork(new URL('relay-process.ts', import.meta.url), [engineUrl])
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
