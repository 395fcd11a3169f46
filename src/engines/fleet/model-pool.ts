import { chooseEngine, hasRoomFor, usableMembers } from './choose-engine.ts'
import type { Choice, Eligibility } from './choose-engine.ts'
import type { Member } from './member.ts'
import { createClocks, type RequestSize, type Use } from './queue/clocks.ts'
import { createFairQueue, type Waiting } from './queue/fair-queue.ts'
import { shareHeld } from './capacity/lease.ts'
import { WANT_MAX, type Ask, type Leases } from './capacity/leases.ts'
import { heaviestOf } from './queue/heaviest.ts'
import { NoCapacity } from './queue/no-capacity.ts'
import { createPace } from './queue/pace.ts'
import type { RefusalReason } from './figures/pool-figures.ts'
import type { ConversationKey, Placements } from './placement/placements.ts'
import { createRetryBudget } from './queue/retry-budget.ts'
import { createSlotShares } from './queue/slot-shares.ts'
import { takeOther } from './take-other.ts'
import type { CacheKey } from './caches/slot-table.ts'

/** A request for a slot on an engine of one model. */
export type SlotRequest = CacheKey &
  Eligibility &
  ConversationKey &
  RequestSize & {
    /** Its organization's clock for this model, shared by all processes. */
    readonly clock: number
  }

/** A slot that was taken. */
export type Taken = {
  readonly member: Member
  /** The clock from which its use counts. */
  readonly lift: number
  /** What it will probably cost. */
  readonly cost: number
}

/** The engines of one model and the queue in front of them. */
export type ModelPool = {
  readonly members: readonly Member[]
  /** How many requests wait. */
  readonly waiting: number
  /** How long a request of a new organization would wait now, about. */
  readonly expectedWaitMs: number
  /** Replaces the engines. Those that left finish what they run. */
  setMembers(members: readonly Member[]): void
  /** An engine with a free slot, immediately or after waiting in a fair, bounded queue. */
  take(request: SlotRequest, signal: AbortSignal): Promise<Taken>
  /** Another engine with a free slot here or elsewhere, within the retry budget unless free. */
  takeOther(request: SlotRequest, tried: Set<Member>, isFree?: boolean): Promise<Member | undefined>
  /** A request that got a slot is over. `used` is undefined if that is not known. */
  released(request: SlotRequest, cost: number, used: Use | undefined): void
  onSlotFreed(): void
}

export type PoolOptions = {
  /** The model; the same in every process. */
  readonly id: string
  readonly leases: Pick<Leases, 'addPool' | 'poolOf'>
  /** Where conversations are, of all models. */
  readonly placements: Placements
  /** Asks the other processes for slots now. */
  readonly askSoon: () => void
  /** How long a request may wait. */
  readonly queueMs: number
}

type Entry = SlotRequest &
  Waiting & {
    /** Whether the other processes were asked for a slot at its home. */
    asked: boolean
    resolve(taken: Taken | RefusalReason): void
  }

/** Waiting requests per slot; one organization may use half of them. */
const WAITING_PER_SLOT_MAX = 4
/**
 * So much may an organization be ahead of one that waits in another process. Handing a slot over
 * takes some 50 ms, which short generations should not pay each time.
 */
const QUANTUM = 250
/** How soon the queue notices that an engine is healthy again, without a freed slot. */
const POLL_MS = 500

export function createModelPool(initial: readonly Member[], options: PoolOptions): ModelPool {
  return new QueuedPool(initial, options)
}

class QueuedPool implements ModelPool {
  members: readonly Member[]
  readonly #options: PoolOptions
  readonly #clocks = createClocks((organizationId) => this.#queue.countOf(organizationId) > 0)
  readonly #queue = createFairQueue<Entry>(() => this.#slots * WAITING_PER_SLOT_MAX, this.#clocks)
  readonly #retries = createRetryBudget()
  readonly #shares = createSlotShares()
  readonly #pace = createPace()
  /** Requests of each organization that run here; only of those that do. */
  readonly #running = new Map<string, number>()
  #slots = 0
  /** Whether the last reply left requests waiting; then asking again at once does not help. */
  #starved = false
  #refused = false
  #pollTimer: NodeJS.Timeout | undefined

  constructor(members: readonly Member[], options: PoolOptions) {
    this.members = members
    this.#options = options
    this.setMembers(members)
    options.leases.addPool(options.id, {
      ask: () => this.#ask(),
      takeActive: () => this.#shares.takeActive(),
      present: () => this.#clocks.present,
      running: () => heaviestOf(this.#running),
      onReply: () => this.#onReply(),
    })
  }

  get waiting(): number {
    return this.#queue.length
  }

  get expectedWaitMs(): number {
    return this.#queue.length === 0 ? 0 : this.#waitMsOf('')
  }

  setMembers(members: readonly Member[]): void {
    this.members = members
    this.#slots = members.reduce((sum, { engine }) => sum + engine.slots, 0)
    this.#serve()
  }

  async take(request: SlotRequest, signal: AbortSignal): Promise<Taken> {
    this.#retries.earn()
    const { organizationId, clock } = request
    this.#shares.noteActive(organizationId)
    this.#clocks.learn(organizationId, clock, this.#lowestWaiting())
    const { promise, resolve } = Promise.withResolvers<Taken | RefusalReason>()
    const entry: Entry = { ...request, asked: false, resolve }
    // A new request overtakes nobody whose organization was served less, here or elsewhere.
    const isNext = this.#clocks.at(organizationId) <= this.#latestServed()
    if (this.#queue.length === 0 && isNext && this.#start(entry)) return (await promise) as Taken
    const taken = await this.#wait(entry, promise, signal)
    if (typeof taken !== 'string') return taken
    signal.throwIfAborted()
    this.#refused = true
    const starts = this.#queue.startsBefore(organizationId) + 1
    throw new NoCapacity(this.#pace.retryAfterMs(starts), taken)
  }

  async takeOther(request: SlotRequest, tried: ReadonlySet<Member>, isFree = false) {
    if (this.members.every((member) => tried.has(member))) return undefined
    if (!isFree && !this.#retries.spend()) return undefined
    const choose = (members: readonly Member[]) => this.#choose(request, members)
    return takeOther(() => this.members, choose, tried)
  }

  released(request: SlotRequest, cost: number, used: Use | undefined): void {
    const { organizationId } = request
    this.#shares.noteActive(organizationId)
    this.#clocks.ended(organizationId, request, cost, used)
    const rest = this.#runningOf(organizationId) - 1
    if (rest > 0) this.#running.set(organizationId, rest)
    else this.#running.delete(organizationId)
  }

  onSlotFreed(): void {
    this.#pace.onSlotFreed(this.#refused || this.#queue.length > 0)
    this.#refused = false
    this.#serve()
    const { leases, id, askSoon } = this.#options
    // Another process waits for what was freed.
    if (leases.poolOf(id).head !== undefined) askSoon()
  }

  async #wait(
    entry: Entry,
    promise: Promise<Taken | RefusalReason>,
    signal: AbortSignal,
  ): Promise<Taken | RefusalReason> {
    const { queueMs, askSoon } = this.#options
    if (this.#waitMsOf(entry.organizationId) > queueMs) return 'too_long'
    const giveUp = () => {
      if (this.#queue.remove(entry)) entry.resolve('timed_out')
    }
    this.#queue.push(entry)?.resolve('queue_full')
    const timeout = setTimeout(giveUp, queueMs)
    signal.addEventListener('abort', giveUp, { once: true })
    this.#pollTimer ??= setInterval(() => this.#serve(), POLL_MS)
    // Those before it may have their share already.
    this.#serve()
    if (this.#queue.length > 0 && !this.#starved) askSoon()
    const taken = await promise
    clearTimeout(timeout)
    signal.removeEventListener('abort', giveUp)
    return taken
  }

  #waitMsOf(organizationId: string): number {
    const usable = usableMembers(this.members, performance.now())
    // Some slots are kept free for organizations that run little. Another process may have them.
    if (usable.some(({ lease }) => lease.free > 0) && this.#mayRun(organizationId)) return 0
    const { runningElsewhere } = this.#options.leases.poolOf(this.#options.id)
    const share = shareHeld(usable.map(({ lease }) => lease))
    // What all processes serve is served at the pace of all, of which this one sees its share.
    const weigh = (other: string) => (runningElsewhere[other] === undefined ? 1 : share)
    return this.#pace.waitMs(this.#queue.startsBefore(organizationId, weigh) + share)
  }

  #serve(): void {
    const latest = this.#latestServed()
    while (this.#queue.length > 0) {
      const hasRoomNow = (entry: Entry) => hasRoomFor(this.members, entry)
      const next = this.#queue.peek((each) => this.#mayRun(each.organizationId) && hasRoomNow(each))
      // What others need more is given back with the next beat.
      if (next === undefined || next[1] > latest || !this.#start(next[0])) break
    }
    if (this.#queue.length > 0) return
    clearInterval(this.#pollTimer)
    this.#pollTimer = undefined
  }

  /** Starts a request if it may run and an engine has room for it. */
  #start(entry: Entry): boolean {
    if (!this.#mayRun(entry.organizationId)) return false
    const { home, now } = this.#choose(entry)
    if (now === undefined) return false
    // Another process may have a slot to spare at its home.
    if (now !== home && !entry.asked && home?.lease.isShared === true) return false
    this.#queue.remove(entry)
    const { organizationId } = entry
    now.began()
    this.#options.placements.placed(entry, now, this.members, performance.now())
    this.#running.set(organizationId, this.#runningOf(organizationId) + 1)
    const cost = this.#clocks.expect(organizationId, entry)
    entry.resolve({ member: now, cost, lift: this.#clocks.started(organizationId, cost) })
    return true
  }

  #choose(request: SlotRequest, members = this.members): Choice {
    return chooseEngine(members, request, performance.now(), this.#options.placements)
  }

  /** The highest clock that is served here before those that wait elsewhere. */
  #latestServed(): number {
    const { leases, id } = this.#options
    return (leases.poolOf(id).head ?? Infinity) + QUANTUM
  }

  #lowestWaiting(): number {
    const { leases, id } = this.#options
    return Math.min(this.#queue.peek()?.[1] ?? Infinity, leases.poolOf(id).lowest ?? Infinity)
  }

  #runningOf(organizationId: string): number {
    return this.#running.get(organizationId) ?? 0
  }

  #mayRun(organizationId: string): boolean {
    const usable = usableMembers(this.members, performance.now())
    const slots = usable.reduce((sum, { lease }) => sum + lease.bound, 0)
    const { runningElsewhere } = this.#options.leases.poolOf(this.#options.id)
    const running = this.#runningOf(organizationId) + (runningElsewhere[organizationId] ?? 0)
    return this.#shares.mayTake(organizationId, running, slots)
  }

  #ask(): Ask | undefined {
    const first = this.#queue.peek(({ organizationId }) => this.#mayRun(organizationId))
    if (first === undefined) return undefined
    const homes: string[] = []
    let want = 0
    for (const entry of this.#queue.heads()) {
      if (!this.#mayRun(entry.organizationId)) continue
      want += this.#queue.countOf(entry.organizationId)
      if (homes.length >= WANT_MAX) continue
      const { home } = this.#choose(entry)
      if (home !== undefined) homes.push(home.engine.name)
      entry.asked = true
    }
    const usable = usableMembers(this.members, performance.now())
    const engines = [...new Set(usable.map(({ engine }) => engine.name))]
    return { want: Math.min(want, WANT_MAX), head: first[1], homes, engines }
  }

  #onReply(): void {
    const { present, active } = this.#options.leases.poolOf(this.#options.id)
    this.#clocks.passed(present)
    this.#shares.learn(active)
    this.#serve()
    this.#starved = this.#queue.length > 0
  }
}
