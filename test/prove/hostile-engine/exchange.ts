import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { ChatRequest } from '../../../src/contract/chat-request.ts'
import type { Engine } from '../../../src/engines/adapters/engine.ts'
import { keepText } from '../../../src/engines/adapters/neutralise.ts'
import { createFleet, type Fleet } from '../../../src/engines/fleet/fleet.ts'
import type { SlotRequest } from '../../../src/engines/fleet/model-pool.ts'
import { ApiRequest } from '../../../src/http/api-request.ts'
import type { Call } from '../../../src/http/call.ts'
import { respondError } from '../../../src/http/errors.ts'
import { answer } from '../../../src/inference/answer.ts'
import { NOTHING_BILLED } from '../../../src/inference/bill-prompt.ts'
import { createCallIds } from '../../../src/inference/call-ids.ts'
import type { ServedModel } from '../../../src/inference/catalog.ts'
import { generate } from '../../../src/inference/generate.ts'
import { settle } from '../../../src/inference/settle.ts'
import { trackUsage } from '../../../src/inference/track-usage.ts'
import type { Caller } from '../../../src/tenancy/caller.ts'
import type { UsageRecord } from '../../../src/tenancy/usage-record.ts'
import { createLoneSharing } from '../../harness/engines/lone-process.ts'
import { keepLines } from '../../harness/lines.ts'
import { openedRecord } from '../../harness/seed/usage-records.ts'

/** The result of one exchange. */
export type Exchanged = {
  readonly status: number
  readonly text: string
  readonly settlements: readonly UsageRecord[]
  /** An error of our own, which would have been logged. */
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
  stop: 'ignored',
  bytesPerToken: 4,
  timeLimits: { firstTokenMs: TIMEOUT_MS, idleMs: TIMEOUT_MS, totalMs: TOTAL_MS },
  neutralise: keepText,
} as unknown as ServedModel

const CALLER = { organizationId: 'o', projectId: 'p', credentialId: 'c' } as unknown as Caller

const CALL_IDS = createCallIds([])
const REQUEST = new ApiRequest(new Socket())

const ASK: SlotRequest = {
  organizationId: 'o',
  inputTokens: 1,
  outputTokensMax: 1,
  weight: 1,
  virtualTime: 0,
  prefix: 1,
  head: 1,
}

export async function fleetOf(engine: Engine): Promise<Fleet> {
  const options = { log: keepLines().log, queueMs: TIMEOUT_MS }
  const sharing = createLoneSharing(engine.slots)
  const fleet = createFleet(new Map([[MODEL, [engine]]]), { ...options, sharing })
  await fleet.start()
  return fleet
}

/** Runs one request through the product's own steps, from the slot on. */
export async function exchange(
  fleet: Fleet,
  asked: Partial<ChatRequest>,
  slow: boolean,
): Promise<Exchanged> {
  const messages: ChatRequest['messages'] = [{ role: 'user', content: 'x' }]
  const request: ChatRequest = { ...asked, model: MODEL, messages }
  const recorded = new RecordedResponse(slow)
  const response = recorded as unknown as ServerResponse
  const { signal } = new AbortController()
  const id = crypto.randomUUID()
  const call: Call = { id, request: REQUEST, response, headers: {}, signal }
  const settlements: UsageRecord[] = []
  const { log, lines } = keepLines()
  const beganMs = performance.now()
  let internal: string | undefined
  try {
    using slot = await fleet.takeSlot(MODEL, ASK, signal)
    const common = { effort: undefined, organizationId: 's', neutralise: keepText }
    const generation = { request, outputTokensMax: 1_024, ...common }
    const pieces = generate(slot, generation, SERVED, signal, () => undefined)
    const opened = openedRecord({ id, model: MODEL })
    const admission = {
      kind: 'admitted',
      caller: CALLER,
      opened,
      virtualTime: 0,
      running: 1,
    } as const
    using usage = trackUsage(admission, {
      instance: 'proof',
      track: () => ({ checkpoint: () => undefined, end: () => undefined }),
      release: () => undefined,
      async settle(record) {
        settlements.push(record)
      },
    })
    const settled = settle(pieces, {
      usage,
      slot,
      releaseSlot: () => slot[Symbol.dispose](),
      signal,
      billPrompt: async () => NOTHING_BILLED,
    })
    await answer(call, request, settled, (reasoned) => CALL_IDS.create('o', reasoned))
  } catch (error) {
    respondError(call, error, log)
    if (lines.some(({ level }) => level === 'error')) internal = String(error)
  }
  const tookMs = performance.now() - beganMs
  if (!recorded.writableFinished && !recorded.destroyed) await once(recorded, 'finish')
  return { status: recorded.statusCode, text: recorded.text, settlements, internal, tookMs }
}

/** A response without a connection, which keeps what a client would have received. */
class RecordedResponse extends Writable {
  /** Without a socket, the product writes nothing past the response. */
  readonly socket = null
  headersSent = false
  statusCode = 0
  text = ''
  readonly #slow: boolean

  /** A slow one makes its writer wait after every write. */
  constructor(slow: boolean) {
    super({ highWaterMark: slow ? 1 : 65_536, decodeStrings: false })
    this.#slow = slow
  }

  override _write(chunk: string | Buffer, _encoding: string, written: () => void): void {
    this.text += typeof chunk === 'string' ? chunk : chunk.toString()
    if (this.#slow) setImmediate(written)
    else written()
  }

  writeHead(status: number): this {
    if (this.headersSent) throw new Error('a second head')
    this.headersSent = true
    this.statusCode = status
    return this
  }

  setHeader(): this {
    return this
  }

  flushHeaders(): void {}

  removeHeader(): void {}
}
