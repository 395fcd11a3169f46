import { setTimeout as pause } from 'node:timers/promises'
import { slottedRequest, type SlottedWork } from './fake-engine/slotted.ts'
import type { Line } from './http-client.ts'

/** An organization that always has a number of requests open. */
export type Asker = {
  readonly key: string
  /** The name under which the engines count its time. */
  readonly by: string
  readonly lines: readonly Line[]
  readonly open: number
  readonly model: string
  /** How long the next request needs a slot. */
  readonly nextMs: () => number
  /** `max_tokens`; default: what it uses. */
  readonly tokensMax?: number
}

/** Statuses of the answers so far, by status. */
export type Asking = {
  readonly answers: ReadonlyMap<number, number>
  stop(): void
  /** Resolves when the last answer came, after `stop`, or when its lines were closed. */
  readonly ended: Promise<unknown>
}

/** Every engine generates at this rate, so that the time of slots is proportional to tokens. */
const MS_PER_TOKEN = 5
const PROMPT_TOKENS = 10
/** A refused request is sent again after this. */
const RETRY_MS = 100

export function workOf(ms: number, by: string): SlottedWork {
  return { ms, prompt: PROMPT_TOKENS, tokens: Math.ceil(ms / MS_PER_TOKEN), by }
}

/** Sends the next request as soon as one has ended. */
export function askWithoutEnd({ lines, model, nextMs, ...asker }: Asker): Asking {
  const answers = new Map<number, number>()
  let stopping = false
  const ask = async (line: Line) => {
    while (!stopping) {
      const body = slottedRequest(model, workOf(nextMs(), asker.by), asker.tokensMax)
      // Closing a line ends what is open on it.
      const status = await line.chat(asker.key, body).then(
        (exchange) => exchange.status,
        () => 0,
      )
      if (status !== 0) answers.set(status, (answers.get(status) ?? 0) + 1)
      if (status !== 200) await pause(RETRY_MS)
    }
  }
  const asking = Array.from({ length: asker.open }, (_, index) => ask(lines[index % lines.length]!))
  return { answers, stop: () => void (stopping = true), ended: Promise.all(asking) }
}
