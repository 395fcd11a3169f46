import { traceError, type Log } from '../lib/log.ts'

/** Beyond it work is dropped and logged: whoever asked for a letter asks again. */
const WAITING_MAX = 1_000
const RUNNING_MAX = 2

export type Later = AsyncDisposable & { add(work: () => Promise<void>): void }

/** A bounded queue of work that nobody waits for. Disposing waits until it is empty. */
export function openLater(log: Log): Later {
  const waiting: (() => Promise<void>)[] = []
  const runners = new Set<Promise<void>>()

  async function run(): Promise<void> {
    // The answer goes first.
    await new Promise(setImmediate)
    for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
      try {
        await work()
      } catch (error) {
        log.error({ error: traceError(error) }, 'work after an answer failed')
      }
    }
  }

  return {
    add(work) {
      if (waiting.length >= WAITING_MAX) {
        log.error({ count: waiting.length }, 'work after an answer dropped, too much is waiting')
        return
      }
      waiting.push(work)
      if (runners.size >= RUNNING_MAX) return
      const runner = run().finally(() => runners.delete(runner))
      runners.add(runner)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(runners)
    },
  }
}
