import { setTimeout as pause } from 'node:timers/promises'
import { EngineError, type CacheUse, type Engine } from '../../adapters/engine.ts'
import { createOwnSlots, type OwnSlots } from './own-slots.ts'

/**
 * Who uses an engine at the moment. `alone`: only this process does. `shared`: perhaps others do,
 * who know about us. `closed`: others could believe that they are alone.
 */
export type EngineAccess = 'alone' | 'shared' | 'closed'

/** What is known about a request when it gets a slot. */
export type CacheKey = {
  readonly organizationId: string
  /** Hash of the start of the conversation, the same on each of its turns. */
  readonly prefix: number
  /** Hash of its system messages, the same in many conversations. */
  readonly head: number
}

/** The slot of one generation. */
export type Place = {
  readonly use: CacheUse
  /** The engine sent pieces, so the slot holds the prompt of this generation. */
  progressed(): void
  /**
   * `ended` is false if the generation was aborted, so that it may still run in the engine. Only
   * the first call counts.
   */
  release(ended: boolean): void
}

/** The slots of one engine whose prompt cache belongs to its slots. */
export type SlotTable = {
  /**
   * The generation must be sent at once. Fails with an EngineError if the table that processes
   * share does not answer: another process would not know what is in the slots.
   */
  take(key: CacheKey): Place | Promise<Place>
  /** Whether the engine was seen to keep the cached prompts of its slots apart. */
  isolated: boolean
  /** How many slots the engine has, which may be more than this process uses at once. */
  slots: number
  readonly access: () => EngineAccess
  /** Whether organizations find their cached prompts. */
  readonly isReusing: boolean
}

/** The tables that processes share; see `store/fleet/slot-table.lua`. */
export type SlotExchange = {
  /** A number that no other generation of this process has. */
  nextTicket(): number
  /**
   * Repeated with the same ticket, it returns the same slot. One that is in use if all are; but -1
   * without an organization, for a check that others would disturb.
   */
  take(
    ask: CacheKey & {
      readonly server: string
      readonly slots: number
      readonly ticket: number
      readonly isolated: boolean
      /** Ticket → slot of the generations of this process, -1 while it is not known. */
      readonly running: ReadonlyMap<number, number>
    },
  ): Promise<{ readonly slot: number; readonly reuse: boolean }>
  release(end: {
    readonly server: string
    readonly ticket: number
    readonly slot: number
    readonly progressed: boolean
    readonly ended: boolean
  }): Promise<void>
}

/** What is known about the other processes that use a server. */
export type EngineSharing = {
  accessTo(server: string): EngineAccess
  /** Changes when the process is alone again after others may have used the server. */
  periodOf(server: string): number
  readonly slots: SlotExchange
}

type Placing = Pick<Engine, 'name' | 'server' | 'slots'>

/**
 * A slot must have been given so recently. With the time to connect to an engine, 3 s, a request
 * reaches its slot before the slot counts as settled, 5 s after its process was last heard of.
 */
const TAKE_MS = 1_000
const TAKE_ATTEMPTS = 4
const RETRY_MS = 250
/** Then the next generation of this process tells that this one has ended. */
const RELEASE_ATTEMPTS = 8

/**
 * Decides which slot of an engine a generation uses, and whether it may reuse what the slot has
 * cached: only if the same organization put it there. When a slot changes its owner nothing is
 * reused, and the new owner is not recorded before the engine has replaced the cached prompt.
 *
 * A process that is alone does this in memory, several do it in a table that they share.
 */
export function createSlotTable(
  engine: Placing,
  sharing: EngineSharing,
  now: () => number = () => performance.now(),
): SlotTable {
  const { server } = engine
  const { slots: exchange } = sharing
  const access = () => sharing.accessTo(server)
  const own = createOwnSlots(engine.slots, now)
  /** Of all generations, so that neither table overlooks those that the other one has placed. */
  const running = new Map<number, number>()
  const shared = { engine, exchange, running, own, now }
  let period = sharing.periodOf(server)
  // A table of this process for the same server may have existed before.
  if (access() !== 'closed') own.forget()

  function isAlone(): boolean {
    const current = sharing.periodOf(server)
    if (current !== period) own.forget()
    period = current
    return access() === 'alone'
  }

  function takeOwn(key: CacheKey, isolated: boolean): Place {
    const place = own.take(key, isolated)
    const ticket = exchange.nextTicket()
    running.set(ticket, place.use.slot ?? -1)
    return {
      ...place,
      release(ended) {
        if (running.delete(ticket)) place.release(ended)
      },
    }
  }

  return {
    access,
    isolated: false,
    slots: engine.slots,
    get isReusing() {
      return this.isolated && (isAlone() ? own.isSettled : access() === 'shared')
    },
    take(key) {
      if (isAlone()) return takeOwn(key, this.isolated)
      if (access() === 'shared')
        return takeShared(shared, { ...key, isolated: this.isolated, slots: this.slots })
      throw new EngineError('busy', engine.name, 'another process could rely on its slots')
    },
  }
}

type Shared = {
  readonly engine: Placing
  readonly exchange: SlotExchange
  readonly running: Map<number, number>
  readonly own: OwnSlots
  readonly now: () => number
}

async function takeShared(
  { engine, exchange, running, own, now }: Shared,
  request: CacheKey & { readonly isolated: boolean; readonly slots: number },
): Promise<Place> {
  const { server } = engine
  const ticket = exchange.nextTicket()
  running.set(ticket, -1)
  const use = await askInTime(exchange, { ...request, server, ticket, running }, now)
  if (use instanceof Error || use.slot < 0) {
    running.delete(ticket)
    report(exchange, { server, ticket, slot: -1, progressed: false, ended: false })
    throw new EngineError('busy', engine.name, 'no slot was given', use)
  }
  const { slot } = use
  running.set(ticket, slot)
  const leave = own.hold(slot)
  let progressed = false
  return {
    use,
    progressed: () => void (progressed = true),
    release(ended) {
      if (!running.delete(ticket)) return
      leave()
      report(exchange, { server, ticket, slot, progressed, ended })
    },
  }
}

/** Each attempt counts by itself, because an answer confirms that the slot is still ours. */
async function askInTime(
  exchange: SlotExchange,
  ask: Parameters<SlotExchange['take']>[0],
  now: () => number,
): Promise<{ readonly slot: number; readonly reuse: boolean } | Error> {
  let cause = new Error('every answer came late')
  for (let attempt = 1; attempt <= TAKE_ATTEMPTS; attempt += 1) {
    if (attempt > 1) await pause(RETRY_MS)
    const sentMs = now()
    try {
      const use = await exchange.take(ask)
      if (now() - sentMs < TAKE_MS) return use
    } catch (error) {
      cause = error as Error
    }
  }
  return cause
}

/** Nobody waits for it. */
function report(exchange: SlotExchange, end: Parameters<SlotExchange['release']>[0]): void {
  const send = async () => {
    for (let attempt = 1; attempt <= RELEASE_ATTEMPTS; attempt += 1) {
      try {
        return await exchange.release(end)
      } catch {
        await pause(RETRY_MS * attempt, undefined, { ref: false })
      }
    }
  }
  void send()
}
