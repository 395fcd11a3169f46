import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProofRun } from '../../harness/proof.ts'
import { isWhole, openChat } from '../../harness/clients/stream-client.ts'

const KEPT_CLIENTS = 30
const FRESH_CLIENTS = 30
/** Of 250 ms each: shorter than a pod lingers, so that an answer ends every kept connection. */
const WORDS_MIN = 8
const WORDS_MAX = 28

export type Target = { readonly apiRoot: string; readonly key: string; readonly model: string }

export type Load = {
  readonly streams: number
  readonly broken: number
  readonly refused: number
  readonly reused: number
  /** Streams in progress. */
  readonly open: number
  /** Resolves when every stream has ended. */
  stop(): Promise<void>
}

/** Clients that stream without end. Half of them keep their connections. */
export function startLoad({ model, ...target }: Target, run: ProofRun): Load {
  const tally = { streams: 0, broken: 0, refused: 0, reused: 0, open: 0 }
  const stopping = new AbortController()
  const runClient = async (agent: Agent | undefined) => {
    while (!stopping.signal.aborted) {
      const content = `${run.random.between(WORDS_MIN, WORDS_MAX)}`
      const messages = [{ role: 'user', content }]
      tally.open += 1
      const chat = openChat(target, { model, stream: true, messages }, agent)
      const ending = await chat.ended
      tally.open -= 1
      tally.streams += 1
      if (chat.reused) tally.reused += 1
      if (ending === 'complete' && chat.status === 200 && isWhole(chat)) continue
      const what = chat.status === 200 ? 'broken' : 'refused'
      tally[what] += 1
      const connection = chat.reused ? 'reused' : 'fresh'
      const failure = `${what}: ${ending} ${chat.status} on a ${connection} connection`
      console.log(`${new Date().toISOString()} ${failure}`)
      run.fail(`${failure} ${chat.text.slice(-160)}`)
      // pacing: a client that finds no server would otherwise do nothing but ask.
      await pause(100)
    }
  }
  const clients = [
    ...Array.from({ length: KEPT_CLIENTS }, () =>
      runClient(new Agent({ keepAlive: true, maxSockets: 1 })),
    ),
    ...Array.from({ length: FRESH_CLIENTS }, () => runClient(undefined)),
  ]
  return Object.assign(tally, {
    async stop() {
      stopping.abort()
      await Promise.all(clients)
    },
  })
}
