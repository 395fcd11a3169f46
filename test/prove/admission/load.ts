import { setTimeout as pause } from 'node:timers/promises'
import type { Exchange } from './caller.ts'

/** Requests that go on until they are told to stop, and all that came of them. */
export type Load = {
  readonly exchanges: readonly Exchange[]
  /** Connections that broke without an answer. */
  readonly broken: readonly Error[]
  stop(): Promise<void>
}

/** Sends one request after the other in each lane, with a pause so that two cores can bear it. */
export function startLoad(
  lanes: number,
  pauseMs: number,
  send: (lane: number) => Promise<Exchange>,
): Load {
  const exchanges: Exchange[] = []
  const broken: Error[] = []
  const stopping = new AbortController()
  const run = async (lane: number) => {
    while (!stopping.signal.aborted) {
      try {
        exchanges.push(await send(lane))
      } catch (error) {
        broken.push(error as Error)
      }
      await pause(pauseMs)
    }
  }
  const running = Array.from({ length: lanes }, (_, lane) => run(lane))
  return {
    exchanges,
    broken,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/** Asks again and again until the answer is the wanted one; how long that took. */
export async function untilMs(
  isThere: () => Promise<boolean>,
  timeoutMs: number,
  pollMs = 20,
): Promise<number> {
  const sinceMs = performance.now()
  while (performance.now() - sinceMs < timeoutMs) {
    if (await isThere()) return performance.now() - sinceMs
    await pause(pollMs)
  }
  return Infinity
}
