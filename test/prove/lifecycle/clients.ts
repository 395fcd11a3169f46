import { openScripted, type StreamEngines } from '../../harness/fake-engine/stream-engines.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { isWhole } from '../../harness/clients/stream-client.ts'

type Target = { readonly apiRoot: string; readonly key: string }

/** Streams and plain answers without end, each of which must be whole. */
export type Load = AsyncDisposable & {
  readonly requests: number
  readonly streams: number
  readonly failures: number
  /** From now on, no new request may reach this engine. */
  forbid(engine: number): void
  allow(engine: number): void
}

const STREAMING_CLIENTS = 8
const PLAIN_CLIENTS = 4
const WORDS_MAX = 40
const EVERY_MS = 25

export function startLoad(
  target: Target,
  model: string,
  engines: StreamEngines,
  run: ProofRun,
): Load {
  const stop = new AbortController()
  /** A ban of an engine, which ends when it is allowed again. */
  const bans = new Map<number, object>()
  let [requests, streams, failures] = [0, 0, 0]
  const runClient = async (stream: boolean) => {
    while (!stop.signal.aborted) {
      const before = new Map(bans)
      const words = run.random.between(1, WORDS_MAX)
      const script = stream
        ? ({ mode: 'talk', everyMs: EVERY_MS, words } as const)
        : ({ mode: 'quick' } as const)
      const { id, chat } = openScripted(target, model, script, { stream })
      const ending = await chat.ended
      requests += 1
      if (stream) streams += 1
      const whole = ending === 'complete' && chat.status === 200 && (!stream || isWhole(chat))
      const seen = engines.seenBy(id)
      // The request may have waited in a queue of the machine, so only a ban that lasted counts.
      const wrong = seen.some(
        (engine) => bans.has(engine) && bans.get(engine) === before.get(engine),
      )
      if (whole && !wrong) continue
      failures += 1
      run.fail(`${model}: ${ending} ${chat.status} on ${seen.join(' ')}: ${chat.text.slice(-160)}`)
    }
  }
  const clients = [
    ...Array.from({ length: STREAMING_CLIENTS }, () => runClient(true)),
    ...Array.from({ length: PLAIN_CLIENTS }, () => runClient(false)),
  ]
  return {
    get requests() {
      return requests
    },
    get streams() {
      return streams
    },
    get failures() {
      return failures
    },
    forbid: (engine) => void bans.set(engine, {}),
    allow: (engine) => void bans.delete(engine),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(clients)
    },
  }
}
