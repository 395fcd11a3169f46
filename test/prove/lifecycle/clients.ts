import { openScripted, type StreamEngines } from '../../harness/fake-engine/stream-engines.ts'
import type { ProofRun } from '../../harness/proof.ts'
import { isWhole } from '../../harness/stream-client.ts'

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
  const forbidden = new Set<number>()
  let [requests, streams, failures] = [0, 0, 0]
  const runClient = async (stream: boolean) => {
    while (!stop.signal.aborted) {
      const unwanted = new Set(forbidden)
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
      const wrong = seen.some((engine) => unwanted.has(engine))
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
    forbid: (engine) => void forbidden.add(engine),
    allow: (engine) => void forbidden.delete(engine),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await Promise.all(clients)
    },
  }
}
