import { fork } from 'node:child_process'
import { once } from 'node:events'

const PROGRAM = new URL('relay-process.ts', import.meta.url)

/** A way to an engine that leads through a process which does nothing else. */
export async function startRelay(engineUrl: string): Promise<AsyncDisposable & { url: string }> {
  const child = fork(PROGRAM, [engineUrl])
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
