import { traceError, type Log } from '../../lib/log.ts'

/** Beyond it work is dropped and logged: whoever asked for an email asks again. */
const WAITING_MAX = 1_000
/** Of one client. Beyond it its oldest work is dropped, so that a flood replaces only itself. */
const WAITING_PER_CLIENT_MAX = 20
const RUNNING_MAX = 2

export type Later = AsyncDisposable & { add(client: string, work: () => Promise<void>): void }

type Waiting = { readonly client: string; readonly work: () => Promise<void> }

/** A bounded queue of work that nobody waits for. Disposing waits until it is empty. */
export function openLater(log: Log): Later {
  const waiting: Waiting[] = []
  const runners = new Set<Promise<void>>()

  async function run(): Promise<void> {
    // The answer goes first.
    await new Promise(setImmediate)
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        await next.work()
      } catch (error) {
        log.error({ error: traceError(error) }, 'background work failed')
      }
    }
  }

  return {
    add(client, work) {
      const own = waiting.filter((entry) => entry.client === client)
      if (own.length >= WAITING_PER_CLIENT_MAX) waiting.splice(waiting.indexOf(own[0]!), 1)
      if (waiting.length >= WAITING_MAX) {
        log.error({ count: waiting.length }, 'background work dropped, queue full')
        return
      }
      waiting.push({ client, work })
      if (runners.size >= RUNNING_MAX) return
      const runner = run().finally(() => runners.delete(runner))
      runners.add(runner)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(runners)
    },
  }
}
