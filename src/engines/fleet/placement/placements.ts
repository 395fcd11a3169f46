import { firstChoice } from '../choose-engine.ts'
import type { Member } from '../member.ts'
import { createHeldCounts, type HeldCounts } from './held-counts.ts'
import { OwnedHashes, type Place } from './owned-hashes.ts'
import { UseOrder } from './use-order.ts'

/** By what the conversation of a request is recognized. */
export type ConversationKey = {
  /** Whose it is; without it, it belongs to nobody. */
  readonly organizationId?: string
  /** Hash of the start of the conversation, the same on each of its turns. */
  readonly prefix: number
  /** Hashes up to the end of the first user message and of each later one; default: the prefix. */
  readonly chain?: readonly number[]
  /** Whether it has earlier turns, which another process may have placed. */
  readonly continues?: boolean
  /** The last hash of the turn before. */
  readonly previous?: number | undefined
  /** The seed of the engine that ran the turn before, if another process has noted it. */
  readonly noted?: number | undefined
  /** Whether the request goes on after the last hash of the chain. */
  readonly isCut?: boolean
}

/** What is known about where a request should go. */
export type Placement = {
  /** The seed of the engine that ran its longest known prefix. */
  readonly seed: number | undefined
  /**
   * `as found`: there, or at the first choice of its hash if nothing is known. `by load`: unless
   * that engine has too much load. `by room`: nor too many conversations.
   */
  readonly choice: 'as found' | 'by load' | 'by room'
}

/** Where processes note turns of conversations that are not at the first choice of their hash. */
export type SharedPlacements = {
  /** The seed of the engine that ran a turn, by the last hash of that turn. Never rejects. */
  find(hash: number): Promise<number | undefined>
  note(hash: number, seed: number): void
}

type Conversation = {
  readonly organizationId: string
  /** The engine that ran it last. */
  seed: number
  /** The hashes that lead to it. */
  readonly hashes: number[]
  /** Whether this process is the one that counts it as held. */
  isOwn: boolean
  /** Whether it is counted: it was used recently. */
  isCounted: boolean
  /** Whether other processes do not find it by its hash alone. It stays one. */
  isException: boolean
  /** The engines among which it was seen to be at the first choice of its hash. */
  members: readonly Member[] | undefined
  /** How often it was continued from a hash that is not its last. */
  forks: Map<number, number> | undefined
  place: Place<Conversation> | undefined
  // For the order of use.
  usedMs: number
  older: Conversation | undefined
  newer: Conversation | undefined
}

/** Enough for some thousand long or many thousand short conversations. */
const HASHES_MAX = 50_000
/** An organization with more than this makes room for others, whoever asks. */
const OWN_HASHES_MAX = HASHES_MAX / 2
/** What was used longer ago has probably left the cache of a busy engine. */
const HELD_MS = 600_000
/** People repeat or change a question a few times. Beyond that it is a common beginning. */
const FORKS_MAX = 4
/** Conversations often begin together. */
const URGENT_MS = 1_000

export function createPlacements(shared?: SharedPlacements): Placements {
  return new Placements(shared)
}

/**
 * Remembers which engine ran each conversation; the longest known prefix of a request leads to it.
 * A process remembers what it saw itself. Other processes find a conversation by its hash, so only
 * exceptions are noted for them: conversations that are not at the first choice of their hash.
 */
export class Placements {
  readonly held: HeldCounts = createHeldCounts()
  /** Called when other processes should soon know of a new conversation, at most once a second. */
  onUrgent: () => void = () => undefined
  readonly #conversations = new Map<number, Conversation>()
  readonly #order = new UseOrder<Conversation>()
  readonly #owned = new OwnedHashes<Conversation>(OWN_HASHES_MAX)
  readonly #shared: SharedPlacements | undefined
  #urgentUntilMs = -Infinity

  constructor(shared: SharedPlacements | undefined) {
    this.#shared = shared
  }

  /** The number of hashes that are remembered. */
  get size(): number {
    return this.#conversations.size
  }

  /** The request, with what another process has noted if that may have run the turn before. */
  locate<Key extends ConversationKey>(request: Key): Key | Promise<Key> {
    const { previous, isCut } = request
    // From where it is cut on, all turns have the same last hash.
    const isOwn = previous !== undefined && isCut !== true && this.#conversations.has(previous)
    if (previous === undefined || isOwn || this.#shared === undefined) return request
    return this.#shared.find(previous).then((noted) => ({ ...request, noted }))
  }

  find(request: ConversationKey): Placement {
    if (request.noted !== undefined) return { seed: request.noted, choice: 'as found' }
    const chain = request.chain ?? [request.prefix]
    const known = this.#longestKnown(chain)
    const last = chain[known]
    const conversation = this.#conversations.get(last ?? -1)
    // If another process had placed it elsewhere than its hash says, it would have noted that.
    if (conversation === undefined)
      return { seed: undefined, choice: request.continues === true ? 'as found' : 'by room' }
    const { seed } = conversation
    if (!isCommon(conversation, last)) return { seed, choice: 'as found' }
    return { seed, choice: known === chain.length - 1 ? 'by load' : 'by room' }
  }

  /** A generation starts on an engine, one of `members`. */
  placed(
    request: ConversationKey,
    { seed }: Member,
    members: readonly Member[],
    nowMs: number,
  ): void {
    const heldSinceMs = nowMs - HELD_MS
    for (let old = this.#order.expire(heldSinceMs); old; old = this.#order.expire(heldSinceMs))
      this.#stopCounting(old)
    const chain = request.chain ?? [request.prefix]
    const known = this.#longestKnown(chain)
    const from = chain[known]
    const isWhole = known === chain.length - 1
    let conversation = this.#conversations.get(from ?? -1)
    if (conversation !== undefined && isCommon(conversation, from)) {
      // Nothing distinguishes it from others with the same beginning.
      if (isWhole) return
      conversation = undefined
    }
    const before = request.noted ?? conversation?.seed
    if (conversation === undefined) {
      // One that continues is counted by the process that opened it.
      const isOwn = before === undefined && (known >= 0 || request.continues !== true)
      conversation = openConversation(request.organizationId, seed, isOwn)
      if (isOwn) this.#hurry(members, nowMs)
    } else {
      const isFork = isWhole ? request.isCut !== true : from !== conversation.hashes.at(-1)
      if (isFork) noteFork(conversation, from)
      // The process that moved it counts it.
      if (conversation.seed !== before) conversation.isOwn = false
      if (conversation.seed !== seed) this.#stopCounting(conversation)
      conversation.seed = seed
    }
    this.#remember(conversation, chain.slice(known + 1))
    if (this.#isException(conversation, request, before, members))
      this.#shared?.note(chain.at(-1) ?? request.prefix, seed)
    this.#use(conversation, nowMs)
  }

  #longestKnown(chain: readonly number[]): number {
    return chain.findLastIndex((hash) => this.#conversations.has(hash))
  }

  #remember(conversation: Conversation, hashes: readonly number[]): void {
    for (const hash of hashes) {
      if (this.#conversations.has(hash)) continue
      this.#conversations.set(hash, conversation)
      conversation.hashes.push(hash)
    }
  }

  #use(conversation: Conversation, nowMs: number): void {
    this.#order.use(conversation, nowMs)
    this.#owned.used(conversation, nowMs)
    if (conversation.isOwn && !conversation.isCounted) {
      conversation.isCounted = true
      this.held.add(conversation.seed, 1)
    }
    while (this.#conversations.size > HASHES_MAX) {
      const oldest = this.#owned.excess ?? this.#order.oldest
      if (oldest === undefined) return
      this.#order.remove(oldest)
      this.#owned.removed(oldest)
      this.#stopCounting(oldest)
      for (const hash of oldest.hashes) this.#conversations.delete(hash)
    }
  }

  #stopCounting(conversation: Conversation): void {
    if (conversation.isCounted) this.held.add(conversation.seed, -1)
    conversation.isCounted = false
  }

  /** As long as each conversation can have a slot, one on the wrong engine costs another its. */
  #hurry(members: readonly Member[], nowMs: number): void {
    let free = 0
    for (const { engine, seed } of members) free += engine.slots - this.held.of(seed)
    if (free <= 0) return
    if (nowMs < this.#urgentUntilMs) return
    this.#urgentUntilMs = nowMs + URGENT_MS
    this.onUrgent()
  }

  /** Whether others would look elsewhere for a conversation that was at `before`. */
  #isException(
    conversation: Conversation,
    { prefix, noted, continues }: ConversationKey,
    before: number | undefined,
    members: readonly Member[],
  ): boolean {
    const { seed, isException } = conversation
    const isMoved = before !== undefined && before !== seed
    // Whoever counted it stops when its next turn comes there, or ten minutes after the last one.
    if (isMoved) conversation.isOwn = true
    if (isException || isMoved || noted !== undefined) return (conversation.isException = true)
    if (conversation.members === members) return false
    conversation.members = members
    if (firstChoice(members, prefix)?.seed === seed) return false
    if (before === undefined && continues === true) conversation.isOwn = true
    return (conversation.isException = true)
  }
}

function openConversation(
  organizationId: string | undefined,
  seed: number,
  isOwn: boolean,
): Conversation {
  const unshared = { isException: false, members: undefined }
  const unused = { usedMs: 0, older: undefined, newer: undefined }
  const owned = { organizationId: organizationId ?? '', hashes: [], place: undefined }
  return { ...owned, seed, isOwn, isCounted: false, ...unshared, forks: undefined, ...unused }
}

/** Whether a prefix is the beginning of many conversations. */
function isCommon({ forks }: Conversation, hash: number | undefined): boolean {
  return forks !== undefined && (forks.get(hash ?? -1) ?? 0) >= FORKS_MAX
}

function noteFork(conversation: Conversation, hash: number | undefined): void {
  conversation.forks ??= new Map()
  conversation.forks.set(hash ?? -1, (conversation.forks.get(hash ?? -1) ?? 0) + 1)
}
