import type { Engine } from '../../../src/engines/adapters/engine.ts'
import { createFleet, type Fleet } from '../../../src/engines/fleet/fleet.ts'
import { NoCapacity } from '../../../src/engines/fleet/queue/no-capacity.ts'
import { HEARTBEAT_SCRIPT } from '../../../src/store/fleet/heartbeat-exchange.ts'
import { fleetKey, placedKey } from '../../../src/store/valkey/keys.ts'
import { keepLines } from '../../harness/lines.ts'
import type { Random } from '../../harness/figures/random.ts'
import type { RawValkey, Used } from './raw-valkey.ts'
import type { VirtualTime } from './virtual-time.ts'

/** A fleet in virtual time: real code of the processes, scripts in a real Valkey. */
export type Sizes = {
  readonly processes: number
  readonly engines: number
  readonly slots: number
  /** How long a generation takes, on average. */
  readonly ms: number
}

export type Simulation = {
  readonly sizes: Sizes
  readonly figures: Figures
  /** One request through a process: whether it was served. */
  request(process: number, organization: string): Promise<boolean>
  /** Ends processes at once, with what they run. Later requests to them go to others. */
  crash(count: number): void
  /** The share of replies that do not arrive from now on. */
  loseReplies(share: number): void
  running(): number
  /** Slots that are leased to processes, as the store has them. */
  leased(): Promise<number>
  /** Slots that processes believe to hold. */
  held(): number
  /** From now on waits and use are noted. */
  measure(): void
  /** Nothing happens any more. */
  end(): void
  /**
   * Sends all calls again, as fast as Valkey answers, and returns what those since `measure` cost.
   * In the simulation each call meets a server that was idle, which makes it dearer.
   */
  replay(): Promise<Used>
}

export type Figures = {
  overCommits: number
  offered: number
  refused: number
  lostReplies: number
  readonly waitsMs: number[]
  /** The time for which slots were used, by organization. */
  readonly usedMs: Map<string, number>
}

const MODEL = 'test/model'
const QUEUE_MS = 3_000
/** There and back. */
const NETWORK_MS = 1
/** What one call takes of the only thread of Valkey, for the queue in front of it. */
const SERVICE_MS = 0.04
/** Calls that are replayed together. */
const AT_ONCE = 32
const TOKENS = 100
const INPUT_TOKENS = 10
/** A token of output costs as much as so many of input. */
const OUTPUT_COST = 2

/** A hash of a conversation, and the seed of its engine. */
type Noted = readonly [hash: number, seed: number]

type Process = { readonly fleet: Fleet; isDead: boolean; readonly ends: Set<() => void> }

/** The virtual time of the server is the virtual one. */
const SCRIPT = HEARTBEAT_SCRIPT.replace(/call\('TIME'\)/, '{ ARGV[2], ARGV[3] }')

export async function openSimulation(
  time: VirtualTime,
  valkey: RawValkey,
  random: Random,
  sizes: Sizes,
): Promise<Simulation> {
  await valkey.call('FLUSHALL')
  const digest = await valkey.load(SCRIPT)
  const simulation = new RunningSimulation(time, valkey, random, sizes, digest)
  await simulation.start()
  return simulation
}

class RunningSimulation implements Simulation {
  readonly sizes: Sizes
  readonly figures: Figures = {
    overCommits: 0,
    offered: 0,
    refused: 0,
    lostReplies: 0,
    waitsMs: [],
    usedMs: new Map(),
  }
  readonly #time: VirtualTime
  readonly #valkey: RawValkey
  readonly #random: Random
  readonly #digest: string
  readonly #processes: Process[]
  readonly #running = new Map<string, number>()
  /** What organizations have used, which the admission tells in a real process. */
  readonly #used = new Map<string, number>()
  readonly #calls: (readonly string[])[] = []
  #measuredFrom = 0
  #serverFreeMs = 0
  #lost = 0
  #isMeasuring = false

  constructor(time: VirtualTime, valkey: RawValkey, random: Random, sizes: Sizes, digest: string) {
    this.sizes = sizes
    this.#time = time
    this.#valkey = valkey
    this.#random = random
    this.#digest = digest
    this.#processes = Array.from({ length: sizes.processes }, (_, index) => this.#open(index))
  }

  /** One process after another. */
  async start(): Promise<void> {
    for (const [index, { fleet }] of this.#processes.entries())
      this.#time.after(index, () => void fleet.start())
    await this.#time.runUntil(this.#time.now() + this.#processes.length + 1_000)
  }

  async request(index: number, organization: string): Promise<boolean> {
    const chosen = this.#processes[index % this.#processes.length]!
    const process = chosen.isDead ? this.#processes.at(-1 - (index % 8))! : chosen
    const beganMs = this.#time.now()
    if (this.#isMeasuring) this.figures.offered += 1
    try {
      using slot = await process.fleet.takeSlot(
        MODEL,
        {
          organizationId: organization,
          prefix: this.#random.between(0, 2 ** 32 - 1),
          head: 0,
          inputTokens: INPUT_TOKENS,
          outputTokensMax: TOKENS,
          weight: 1,
          virtualTime: this.#used.get(organization) ?? 0,
        },
        new AbortController().signal,
      )
      // What waited in a process that crashed is gone with it.
      if (process.isDead) return false
      if (this.#isMeasuring) this.figures.waitsMs.push(this.#time.now() - beganMs)
      await this.#generate(process, slot.engine.name, organization)
      const cost = INPUT_TOKENS + OUTPUT_COST * TOKENS
      // As the settlement does.
      this.#used.set(
        organization,
        Math.max(this.#used.get(organization) ?? 0, slot.startTag) + cost,
      )
      const counts = { cachedTokens: 0, completionTokens: TOKENS, reasoningTokens: 0 }
      slot.progressed({ promptTokens: INPUT_TOKENS, ...counts })
      slot.succeeded()
      return true
    } catch (error) {
      if (!(error instanceof NoCapacity)) throw error
      if (this.#isMeasuring) this.figures.refused += 1
      return false
    }
  }

  end(): void {
    for (const process of this.#processes) process.isDead = true
  }

  crash(count: number): void {
    for (const process of this.#processes.slice(0, count)) {
      process.isDead = true
      for (const end of process.ends) end()
    }
  }

  loseReplies(share: number): void {
    this.#lost = share
  }

  running(): number {
    return [...this.#running.values()].reduce((sum, count) => sum + count, 0)
  }

  async leased(): Promise<number> {
    const sum = `local sum = 0
      for _, count in ipairs(redis.call('HVALS', KEYS[1])) do sum = sum + tonumber(count) end
      return sum`
    return Number(await this.#valkey.call('EVAL', sum, '1', fleetKey('main', 'leased')))
  }

  held(): number {
    const living = this.#processes.filter(({ isDead }) => !isDead)
    const states = living.flatMap(({ fleet }) => Object.values(fleet.states()))
    return states.reduce((sum, { leased = 0 }) => sum + leased, 0)
  }

  async replay(): Promise<Used> {
    await this.#valkey.call('FLUSHALL')
    const send = async (calls: readonly (readonly string[])[]) => {
      for (let first = 0; first < calls.length; first += AT_ONCE)
        await Promise.all(calls.slice(first, first + AT_ONCE).map((c) => this.#valkey.call(...c)))
    }
    await send(this.#calls.slice(0, this.#measuredFrom))
    const before = await this.#valkey.used()
    await send(this.#calls.slice(this.#measuredFrom))
    const after = await this.#valkey.used()
    return {
      cpuMicros: after.cpuMicros - before.cpuMicros,
      scriptCalls: after.scriptCalls - before.scriptCalls,
      bytes: after.bytes - before.bytes,
    }
  }

  measure(): void {
    this.#isMeasuring = true
    this.#measuredFrom = this.#calls.length
  }

  #open(index: number): Process {
    const exchange = (report: object) => this.#exchange(process, report)
    const placements = { find: async () => undefined, note: (...noted: Noted) => this.#note(noted) }
    const sharing = { process: `process-${index}`, exchange, placements }
    const { engines } = this.sizes
    const models = new Map([
      [MODEL, Array.from({ length: engines }, (_, engine) => this.#engineOf(engine))],
    ])
    const fleet = createFleet(models, { log: keepLines().log, queueMs: QUEUE_MS, sharing })
    const process: Process = { fleet, isDead: false, ends: new Set() }
    return process
  }

  #engineOf(index: number): Engine {
    const name = `engine-${index}`
    const { slots } = this.sizes
    const idle = { close: () => undefined, can: () => true }
    const readLoad = async () => ({ running: this.#running.get(name) ?? 0, waiting: 0 })
    const own = { name, server: name, modelName: 'm', slots, promptCache: 'salted' }
    return { ...own, ...idle, readLoad } as unknown as Engine
  }

  /** Conversations are noted beside heartbeats. */
  #note([hash, seed]: Noted): void {
    const call = ['SET', placedKey('main', hash), String(seed), 'EX', '600']
    this.#calls.push(call)
    void this.#valkey.call(...call)
  }

  /** Calls are answered one after another; a reply that is lost is a failure for its process. */
  #exchange(process: Process, report: object): Promise<unknown> {
    if (process.isDead) return new Promise(() => undefined)
    const atMs = Math.max(this.#time.now(), this.#serverFreeMs)
    this.#serverFreeMs = atMs + SERVICE_MS
    const [seconds, micros] = [Math.floor(atMs / 1_000), Math.floor((atMs % 1_000) * 1_000)]
    const args = [JSON.stringify(report), String(seconds), String(micros)]
    const call = ['EVALSHA', this.#digest, '1', fleetKey('main', ''), ...args]
    this.#calls.push(call)
    const reply = this.#valkey.call(...call)
    const isLost = this.#lost > 0 && this.#random.chance(this.#lost)
    if (isLost) this.figures.lostReplies += 1
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#time.at(this.#serverFreeMs + NETWORK_MS, async () => {
      const text = await reply
      if (process.isDead) return
      if (isLost) reject(Object.assign(new Error('lost'), { name: 'ValkeyUnavailable' }))
      else resolve(JSON.parse(text))
    })
    return promise
  }

  async #generate(process: Process, engine: string, organization: string): Promise<void> {
    const count = (this.#running.get(engine) ?? 0) + 1
    this.#running.set(engine, count)
    if (count > this.sizes.slots) this.figures.overCommits += 1
    const beganMs = this.#time.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    process.ends.add(resolve)
    this.#time.after(this.sizes.ms * (0.5 + this.#random.between(0, 1_000) / 1_000), resolve)
    await promise
    process.ends.delete(resolve)
    this.#running.set(engine, (this.#running.get(engine) ?? 1) - 1)
    if (this.#isMeasuring) {
      const usedMs = this.figures.usedMs.get(organization) ?? 0
      this.figures.usedMs.set(organization, usedMs + this.#time.now() - beganMs)
    }
  }
}
