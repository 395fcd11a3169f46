import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { ChatRequest } from '../../../src/contract/chat-request.ts'
import type { Engine } from '../../../src/engines/adapters/engine.ts'
import { createFleet, type Fleet } from '../../../src/engines/fleet/fleet.ts'
import { keepText } from '../../../src/engines/adapters/neutralise.ts'
import type { Call } from '../../../src/http/call.ts'
import { respondError } from '../../../src/http/errors.ts'
import { answer } from '../../../src/inference/answer.ts'
import { createCallIds } from '../../../src/inference/call-ids.ts'
import type { ServedModel } from '../../../src/inference/catalog.ts'
import { trackUsage, type UsageLog } from '../../../src/inference/track-usage.ts'
import { generate } from '../../../src/inference/generate.ts'
import { settle } from '../../../src/inference/settle.ts'
import type { Caller } from '../../../src/tenancy/caller.ts'
import type { UsageRecord } from '../../../src/tenancy/usage-record.ts'
import { openedRecord } from '../../harness/usage-records.ts'
import { RecordedResponse } from './recorded-response.ts'

/** What came of one exchange. */
export type Exchanged = {
  readonly status: number
  readonly text: string
  readonly settlements: readonly UsageRecord[]
  /** What the log would have been told of a fault of our own. */
  readonly internal: string | undefined
  readonly tookMs: number
}

const MODEL = 'hostile/model'
/** Above any delay of our own process, and short enough to wait for it a few dozen times. */
const TIMEOUT_MS = 5_000
const TOTAL_MS = 10_000

const SERVED = {
  model: { id: MODEL, context_length: 4_096 },
  reasoningHistory: 'optional',
  bytesPerToken: 4,
  timeLimits: { firstPieceMs: TIMEOUT_MS, idleMs: TIMEOUT_MS, totalMs: TOTAL_MS },
  neutralise: keepText,
} as unknown as ServedModel

const CALLER = { organizationId: 'o', projectId: 'p', credentialId: 'c' } as unknown as Caller

const CALL_IDS = createCallIds(undefined)
const REQUEST = new IncomingMessage(new Socket())
REQUEST.complete = true

export function fleetOf(engine: Engine): Fleet {
  return createFleet(new Map([[MODEL, [engine]]]))
}

/** Everything behind the slot, with the product's own steps, for one request. */
export async function exchange(
  fleet: Fleet,
  asked: Partial<ChatRequest>,
  slow: boolean,
): Promise<Exchanged> {
  const request: ChatRequest = {
    ...asked,
    model: MODEL,
    messages: [{ role: 'user', content: 'x' }],
  }
  const response = new RecordedResponse(slow)
  const { signal } = new AbortController()
  const id = crypto.randomUUID()
  const recorded = response.asResponse()
  const call: Call = { id, request: REQUEST, response: recorded, headers: {}, signal }
  const settlements: UsageRecord[] = []
  const ask = { organizationId: 'o', tokens: 1, prefix: 1, constrained: false }
  const beganMs = performance.now()
  let internal: string | undefined
  try {
    using slot = await fleet.takeSlot(MODEL, ask, signal)
    const common = { effort: undefined, cacheSalt: 's', neutralise: keepText }
    const generation = { request, outputTokensMax: 1_024, ...common }
    const pieces = generate(slot, generation, SERVED, signal)
    const opened = openedRecord({ id, model: MODEL })
    const admission = { requestId: id, caller: CALLER, opened, headers: {} }
    using usage = trackUsage(admission, listing(settlements))
    const settled = settle(pieces, usage, slot, signal)
    await answer(call, request, settled, (reasoned) => CALL_IDS.create('o', reasoned))
  } catch (error) {
    const nothing = () => undefined
    const log = {
      debug: nothing,
      info: nothing,
      warn: nothing,
      error: () => (internal = String(error)),
    }
    respondError(call, error, log)
  }
  const tookMs = performance.now() - beganMs
  if (!response.writableFinished && !response.destroyed) await once(response, 'finish')
  return { status: response.statusCode, text: response.text, settlements, internal, tookMs }
}

/** A usage log that only lists what is settled. */
function listing(settlements: UsageRecord[]): UsageLog {
  const nothing = () => undefined
  return {
    instance: 'proof',
    track: () => nothing,
    release: nothing,
    settle(record) {
      settlements.push(record)
      return Promise.resolve()
    },
  }
}
