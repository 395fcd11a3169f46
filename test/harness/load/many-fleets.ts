import { setTimeout as pause } from 'node:timers/promises'
import type { Engine } from '../../../src/engines/adapters/engine.ts'
import { createFleet, type Fleet } from '../../../src/engines/fleet/fleet.ts'
import { NoCapacity } from '../../../src/engines/fleet/queue/no-capacity.ts'
import { openSharing } from '../../../src/store/fleet/open-sharing.ts'
import type { Valkey } from '../../../src/store/valkey/valkey.ts'
import { createBusyTime } from '../fake-engine/busy-time.ts'
import type { Exchange } from '../clients/http-client.ts'
import { keepLines } from '../lines.ts'
import { connectValkey, startValkey } from '../servers/valkey.ts'

/**
 * What many api processes would do with the slots of engines, in this process: each fleet shares
 * them with the others through a real server of Valkey. There are no requests over HTTP, so that a
 * busy machine changes little.
 */
export type ManyFleets = AsyncDisposable & {
  /** Takes a slot for some time, through one of the fleets. */
  use(fleet: number, organization: string, work: FleetWork): Promise<Exchange>
  /** How long each organization has used slots. */
  busyMsBy(): Readonly<Record<string, number>>
  /** Generations that began while every slot of their engine was taken. */
  readonly excess: number
  /** The server that they share the slots through. */
  readonly valkey: Valkey
}

/** What a generation needs, and what is said of it before. */
export type FleetWork = {
  readonly ms: number
  readonly tokens: number
  /** Default: what it uses. */
  readonly tokensMax?: number
  /** Of the organization; default: 1. */
  readonly weight?: number
}

const MODEL = 'test/slotted'
const TIMEOUT_MS = 60_000
const INPUT_TOKENS = 10
/** A token of output costs as much as so many of input. */
const OUTPUT_COST = 2

export async function startManyFleets(
  count: number,
  { engines, slots, queueMs }: { engines: number; slots: number; queueMs: number },
): Promise<ManyFleets> {
  await using starting = new AsyncDisposableStack()
  const server = starting.use(await startValkey())
  const valkey = starting.use(await connectValkey([server.url], { timeoutMs: TIMEOUT_MS }))
  const running = new Map<string, number>()
  const runningOf = (name: string) => running.get(name) ?? 0
  const connect = (_: unknown, index: number) => {
    const name = `slotted-${index}`
    return countingEngine(name, slots, () => runningOf(name))
  }
  const fleets = Array.from({ length: count }, () => {
    const sharing = openSharing(valkey, crypto.randomUUID())
    const connected = Array.from({ length: engines }, connect)
    const options = { log: keepLines().log, queueMs, sharing }
    return starting.use(createFleet(new Map([[MODEL, connected]]), options))
  })
  await Promise.all(fleets.map((fleet) => fleet.start()))
  const started = starting.move()
  const dispose = { [Symbol.asyncDispose]: () => started.disposeAsync() }
  return Object.assign(useFleets(fleets, slots, running), { valkey }, dispose)
}

/** Counts what runs where, and for whom. */
function useFleets(
  fleets: readonly Fleet[],
  slots: number,
  running: Map<string, number>,
): Omit<ManyFleets, 'valkey' | typeof Symbol.asyncDispose> {
  const runningOf = (name: string) => running.get(name) ?? 0
  /** What each organization has used and has open, which the admission tells in a real process. */
  const used = new Map<string, number>()
  const open = new Map<string, number>()
  const busyTime = createBusyTime()
  let excess = 0

  async function generate(fleet: number, organization: string, work: FleetWork): Promise<void> {
    const { ms, tokens, tokensMax = tokens, weight = 1 } = work
    const request = {
      organizationId: organization,
      prefix: crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
      head: 0,
      inputTokens: INPUT_TOKENS,
      outputTokensMax: tokensMax,
      weight,
      virtualTime: used.get(organization) ?? 0,
    }
    using slot = await fleets[fleet]!.takeSlot(MODEL, request, new AbortController().signal)
    const { name } = slot.engine
    if (runningOf(name) >= slots) excess += 1
    running.set(name, runningOf(name) + 1)
    busyTime.change(organization, 1)
    // pacing: a generation takes this long.
    await pause(ms)
    running.set(name, runningOf(name) - 1)
    busyTime.change(organization, -1)
    const cost = (INPUT_TOKENS + OUTPUT_COST * tokens) / weight
    // As the settlement does.
    used.set(organization, Math.max(used.get(organization) ?? 0, slot.startTag) + cost)
    const counts = { cachedTokens: 0, completionTokens: tokens, reasoningTokens: 0 }
    slot.progressed({ promptTokens: INPUT_TOKENS, ...counts })
    slot.succeeded()
  }

  return {
    get excess() {
      return excess
    },
    busyMsBy: () => busyTime.read(),
    async use(fleet, organization, work) {
      open.set(organization, (open.get(organization) ?? 0) + 1)
      const begunMs = performance.now()
      const answer = (status: number, headers: Record<string, string>) => {
        return { status, headers, text: '', begunMs, endedMs: performance.now() }
      }
      try {
        await generate(fleet, organization, work)
        return answer(200, {})
      } catch (error) {
        if (!(error instanceof NoCapacity)) throw error
        return answer(503, { 'retry-after': `${Math.ceil(error.retryAfterMs / 1_000)}` })
      } finally {
        open.set(organization, (open.get(organization) ?? 1) - 1)
      }
    },
  }
}

/** An engine that only counts what it runs. */
function countingEngine(name: string, slots: number, running: () => number): Engine {
  const engine: Partial<Engine> = {
    name,
    slots,
    server: name,
    promptCache: 'salted',
    readLoad: async () => ({ running: running(), waiting: 0 }),
    close: () => undefined,
  }
  return engine as Engine
}
