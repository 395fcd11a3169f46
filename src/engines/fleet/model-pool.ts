import { chooseAmong, type Choice, type Eligibility } from './choose-engine.ts'
import { hasRoom, type Member } from './member.ts'
import { createFairQueue, type FairQueue, type Waiting } from './queue/fair-queue.ts'
import { WANT_MAX, type Ask, type Leases } from './capacity/leases.ts'
import type { SharedPools } from './capacity/shared-pools.ts'
import { NoCapacity } from './queue/no-capacity.ts'
import { createPace } from './queue/pace.ts'
import type { RefusalReason } from './figures/pool-figures.ts'
import type { ConversationKey, Placements } from './placement/placements.ts'
import { createRetryBudget } from './queue/retry-budget.ts'
import { RunningCounts } from './queue/running-counts.ts'
import { createSlotShares } from './queue/slot-shares.ts'
import { createVirtualTimes, type RequestSize, type Use } from './queue/virtual-times.ts'
import { takeOther } from './take-other.ts'
import { createUsableEngines } from './usable-engines.ts'
import type { CacheKey } from './caches/slot-table.ts'

/** A request for a slot on an engine of one model. */
export type SlotRequest = CacheKey &
  Eligibility &
  ConversationKey &
  RequestSize & {
    /** Its organization's virtual time for this model, shared by all processes. */
    readonly virtualTime: number
  }

/** A slot that was taken. */
export type Taken = {
  readonly member: Member
  /** The virtual time from which its use counts. */
  readonly startTag: number
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
  readonly leases: Pick<Leases, 'addPool' | 'headsOf'>
  readonly pools: Pick<SharedPools, 'add' | 'of'>
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
  readonly #times = createVirtualTimes(() => this.#queue)
  readonly #queue: FairQueue<Entry> = createFairQueue(() => this.#lengthMax, this.#times)
  readonly #usable = createUsableEngines()
  readonly #retries = createRetryBudget()
  readonly #shares = createSlotShares()
  readonly #pace = createPace()
  readonly #running = new RunningCounts()
  #lengthMax = 0
  /** Whether the last reply left requests waiting; then asking again at once does not help. */
  #starved = false
  #refused = false
  #pollTimer: NodeJS.Timeout | undefined

  constructor(members: readonly Member[], options: PoolOptions) {
    this.members = members
    this.#options = options
    this.setMembers(members)
    const asking = { ask: () => this.#ask(), onReply: () => this.#onReply() }
    options.leases.addPool(options.id, asking)
    options.pools.add(options.id, {
      takeActive: () => this.#shares.takeActive(),
      present: () => this.#times.present,
      running: () => this.#running.heaviest(),
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
    const slots = members.reduce((sum, { engine }) => sum + engine.slots, 0)
    this.#lengthMax = slots * WAITING_PER_SLOT_MAX
    this.#usable.setMembers(members)
    this.#queue.regroup((entry) => void (entry.engines = this.#usable.groupOf(entry)))
    this.#serve()
  }

  async take(request: SlotRequest, signal: AbortSignal): Promise<Taken> {
    const { organizationId, virtualTime } = request
    this.#retries.earn(organizationId)
    this.#shares.noteActive(organizationId)
    this.#times.learn(organizationId, virtualTime, this.#lowestWaiting())
    const { promise, resolve } = Promise.withResolvers<Taken | RefusalReason>()
    const engines = this.#usable.groupOf(request)
    const entry: Entry = { ...request, engines, asked: false, resolve }
    // A new request overtakes nobody whose organization was served less, here or elsewhere.
    const isNext = this.#times.at(organizationId) <= this.#latestServed()
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
    if (!isFree && !this.#retries.spend(request.organizationId)) return undefined
    const { placements } = this.#options
    return takeOther(() => this.members, request, placements, tried)
  }

  released(request: SlotRequest, cost: number, used: Use | undefined): void {
    const { organizationId } = request
    this.#shares.noteActive(organizationId)
    this.#times.ended(organizationId, request, cost, used)
    this.#running.ended(organizationId)
  }

  onSlotFreed(): void {
    this.#pace.onSlotFreed(this.#refused || this.#queue.length > 0)
    this.#refused = false
    this.#serve()
    const { leases, id, askSoon } = this.#options
    // Another process waits for what was freed.
    if (leases.headsOf(id).head !== undefined) askSoon()
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
    this.#pollTimer ??= setInterval(() => this.#poll(), POLL_MS)
    // Those before it may have their share already.
    this.#serve()
    if (this.#queue.length > 0 && !this.#starved) askSoon()
    const taken = await promise
    clearTimeout(timeout)
    signal.removeEventListener('abort', giveUp)
    return taken
  }

  #waitMsOf(organizationId: string): number {
    const { members, share } = this.#usable.all
    // Some slots are kept free for organizations that run little. Another process may have them.
    if (members.some(({ lease }) => lease.free > 0) && this.#mayRun(organizationId)) return 0
    const { runningElsewhere } = this.#options.pools.of(this.#options.id)
    // What all processes serve is served at the pace of all, of which this one sees its share.
    const elsewhere = Object.keys(runningElsewhere)
    return this.#pace.waitMs(this.#queue.startsBefore(organizationId, elsewhere, share) + share)
  }

  #poll(): void {
    this.#usable.forget()
    this.#serve()
  }

  #serve(): void {
    const latest = this.#latestServed()
    while (this.#queue.length > 0) {
      const next = this.#queue.peek({
        mayRun: (organizationId) => this.#mayRun(organizationId),
        hasRoom: (entry) => this.#usable.of(entry).members.some(hasRoom),
      })
      // What others need more is given back with the next heartbeat.
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
    this.#running.began(organizationId)
    const cost = this.#times.expect(organizationId, entry)
    entry.resolve({ member: now, cost, startTag: this.#times.started(organizationId, cost) })
    return true
  }

  #choose(request: SlotRequest): Choice {
    const { placements } = this.#options
    const choose = () => chooseAmong(this.#usable.of(request).members, request, placements)
    const choice = choose()
    const nowMs = performance.now()
    const isUsable = (member: Member | undefined) => member?.health.isHealthy(nowMs) !== false
    if (isUsable(choice.home) && isUsable(choice.now)) return choice
    this.#usable.forget()
    return choose()
  }

  /** The highest virtual time that is served here before those that wait elsewhere. */
  #latestServed(): number {
    const { leases, id } = this.#options
    return (leases.headsOf(id).head ?? Infinity) + QUANTUM
  }

  #lowestWaiting(): number {
    const { leases, id } = this.#options
    return Math.min(this.#queue.lowest, leases.headsOf(id).lowest ?? Infinity)
  }

  #mayRun(organizationId: string): boolean {
    const { runningElsewhere } = this.#options.pools.of(this.#options.id)
    const running = this.#running.of(organizationId) + (runningElsewhere[organizationId] ?? 0)
    return this.#shares.mayTake(organizationId, running, this.#usable.all.slots)
  }

  #ask(): Ask | undefined {
    const mayRun = (organizationId: string) => this.#mayRun(organizationId)
    const first = this.#queue.peek({ mayRun, hasRoom: () => true })
    if (first === undefined) return undefined
    const homes: string[] = []
    let want = 0
    for (const entry of this.#queue.heads()) {
      if (want >= WANT_MAX && homes.length >= WANT_MAX) break
      if (!mayRun(entry.organizationId)) continue
      want += this.#queue.countOf(entry.organizationId)
      if (homes.length >= WANT_MAX) continue
      const { home } = this.#choose(entry)
      if (home !== undefined) homes.push(home.engine.name)
      entry.asked = true
    }
    return { want: Math.min(want, WANT_MAX), head: first[1], homes }
  }

  #onReply(): void {
    const { present, active } = this.#options.pools.of(this.#options.id)
    this.#times.passed(present)
    this.#shares.learn(active)
    this.#usable.forget()
    this.#serve()
    this.#starved = this.#queue.length > 0
  }
}
