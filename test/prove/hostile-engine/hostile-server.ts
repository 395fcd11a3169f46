import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connectChatEngine, type EngineTraits } from '../../../src/engines/adapters/chat-engine.ts'
import type { Engine } from '../../../src/engines/adapters/engine.ts'
import { llamaServer } from '../../../src/engines/adapters/llama-server.ts'
import { createReadPauses } from '../../../src/engines/wire/read-pauses.ts'
import { chunk } from '../../harness/fake-engine/events.ts'
import { begin, startFakeEngine } from '../../harness/fake-engine/server.ts'
import type { Case } from './cases.ts'
import type { Hostile } from './mutate-stream.ts'

/** Sends hostile streams over real connections. */
export type HostileServer = AsyncDisposable & {
  /** The engine of a case, connected to this server. */
  engineOf(one: Case): Engine
  /** An engine that never ends its answer, whatever it was asked for. */
  readonly pouring: Engine
  /** Bytes that the pouring engine has written. */
  pouredBytes(): number
}

/** A reader that takes so much takes everything. */
export const POURED_BYTES_MAX = 64 * 1024 * 1024
const POURED_EVENT = Buffer.from(chunk({ content: 'x'.repeat(65_536) }))
const POURS = 'pours'

export async function startHostileServer(): Promise<HostileServer> {
  const offered = new Map<unknown, Hostile>()
  let poured = 0
  const server = await startFakeEngine(async ({ body: { model }, response }) => {
    begin(response)
    if (model === POURS) return pour(response, (bytes) => (poured = bytes))
    const hostile = offered.get(model)
    offered.delete(model)
    if (hostile === undefined) throw new Error('a stream that was not offered')
    await send(response, hostile)
  })
  const readPauses = createReadPauses(40)
  const connect = (modelName: string, traits: EngineTraits) => {
    const common = { name: 'hostile', url: server.url, apiKey: undefined, slots: 1, readPauses }
    return connectChatEngine({ ...common, modelName }, traits)
  }
  return {
    engineOf({ hostile, traits }) {
      const model = crypto.randomUUID()
      offered.set(model, hostile)
      return connect(model, traits)
    },
    pouring: connect(POURS, llamaServer),
    pouredBytes: () => poured,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function send(response: ServerResponse, { parts, ending }: Hostile): Promise<void> {
  for (const part of parts) {
    if (response.destroyed) return
    response.write(part)
    // Parts that are written in one turn would arrive as one.
    if (parts.length < 200) await new Promise(setImmediate)
  }
  if (ending === 'end') response.end()
  else if (ending === 'break') response.socket?.resetAndDestroy()
}

async function pour(response: ServerResponse, count: (bytes: number) => void): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  for (let bytes = 0; bytes < POURED_BYTES_MAX && !response.destroyed;) {
    bytes += POURED_EVENT.length
    count(bytes)
    if (!response.write(POURED_EVENT))
      await once(response, 'drain', { signal: gone.signal }).catch(() => undefined)
  }
  response.end()
}
