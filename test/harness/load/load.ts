import { setTimeout as pause } from 'node:timers/promises'
import type { Exchange } from '../clients/http-client.ts'

/** Requests that continue until `stop` is called, and their results. */
export type Load = {
  readonly exchanges: readonly Exchange[]
  /** Connections that broke without an answer. */
  readonly broken: readonly Error[]
  stop(): Promise<void>
}

/** Sends one request after the other in each worker, with a pause so that two cores can bear it. */
export function startLoad(
  workers: number,
  pauseMs: number,
  send: (worker: number) => Promise<Exchange>,
): Load {
  const exchanges: Exchange[] = []
  const broken: Error[] = []
  const stopping = new AbortController()
  const run = async (worker: number) => {
    while (!stopping.signal.aborted) {
      try {
        exchanges.push(await send(worker))
      } catch (error) {
        broken.push(error as Error)
      }
      // pacing: how long a client waits between two requests.
      await pause(pauseMs)
    }
  }
  const running = Array.from({ length: workers }, (_, worker) => run(worker))
  return {
    exchanges,
    broken,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
