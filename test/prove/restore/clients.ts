import { modelOn } from '../../harness/environment.ts'
import { requestOf } from '../../harness/fake-engine/counting.ts'
import { costOf } from '../../harness/load/metered.ts'
import { exchange } from '../../harness/clients/usage-client.ts'

export const ENGINE = 'counting'
const TOKENS = 3
const CLIENTS = 16
/** The first prompt's tokens; each request has another number. */
const PROMPT_FIRST = 100

/** A request whose client received all of it. */
export type Served = { readonly id: string; readonly cost: number; readonly endedMs: number }

/** Clients of one caller, and the requests that were served. */
export class Clients {
  readonly served: Served[] = []
  readonly #target: () => { readonly apiRoot: string; readonly key: string }
  #prompt = PROMPT_FIRST
  #stopped = false

  constructor(target: () => { readonly apiRoot: string; readonly key: string }) {
    this.#target = target
  }

  /** Sends requests until as many more are served, or until `stop`. */
  async serve(count: number): Promise<void> {
    let left = count
    this.#stopped = false
    const send = async () => {
      while (left > 0 && !this.#stopped) {
        left -= 1
        if (!(await this.#sendOne())) left += 1
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, send))
  }

  stop(): void {
    this.#stopped = true
  }

  async #sendOne(): Promise<boolean> {
    this.#prompt += 1
    const prompt = this.#prompt
    const work = { prompt, cached: 0, tokens: TOKENS, reasoning: 0, calls: false, everyMs: 0 }
    const end = await exchange(this.#target(), requestOf(modelOn(ENGINE), work, true))
    const cost = costOf({ ...work, completion: TOKENS })
    if (end.complete) this.served.push({ id: end.requestId, cost, endedMs: end.endedMs })
    return end.complete
  }
}
