import type { Ability } from '../adapters/engine.ts'
import { hasRoom, type Member } from './member.ts'
import type { HeldCounts } from './placement/held-counts.ts'
import type { ConversationKey, Placements } from './placement/placements.ts'

/** Where a request should go. */
export type Choice = {
  /** The engine that has the conversation or should get it, whether or not it has room. */
  readonly home: Member | undefined
  /** The best engine with room: the home, if it has. */
  readonly now: Member | undefined
}

/** How far above the mean an engine may be loaded and still get new conversations. */
const LOAD_FACTOR = 1.25
/** The same for conversations, once there are more of them than slots. */
const HELD_FACTOR = 1.1
/** Organizations whose requests an engine failed just now, for it to lose its conversations. */
const FAULTY_FOR = 2
const HASHES = 2 ** 32

/** What decides which engines a request may be sent to. */
export type Eligibility = {
  readonly organizationId?: string
  /** What the engine must be able to do. */
  readonly needs?: readonly Ability[] | undefined
}

/** The same list if the request may be sent to all of them. */
export function eligibleMembers(
  members: readonly Member[],
  { organizationId, needs = [] }: Eligibility,
): readonly Member[] {
  const isEligible = ({ engine }: Member) =>
    (engine.organizationId === undefined || engine.organizationId === organizationId) &&
    needs.every((need) => engine.can(need))
  return members.every(isEligible) ? members : members.filter(isEligible)
}

/** The engines that requests are sent to. */
export function usableMembers(members: readonly Member[], nowMs: number): readonly Member[] {
  const healthy = members.filter(({ health, isOpen }) => health.isHealthy(nowMs) && isOpen())
  // If no engine is healthy, an attempt is better than a rejection.
  return healthy.length > 0 ? healthy : members
}

/** The engine of a request, of all those of its model. */
export function chooseEngine(
  members: readonly Member[],
  request: ConversationKey & Eligibility,
  nowMs: number,
  placements: Placements,
): Choice {
  return chooseAmong(usableMembers(eligibleMembers(members, request), nowMs), request, placements)
}

/**
 * The engine that ran the conversation before. A new conversation goes to the first engine in its
 * own order, by weighted rendezvous hashing, that neither holds more conversations than its share
 * nor is loaded far above the mean. One that another process must have placed goes to the first.
 */
export function chooseAmong(
  usable: readonly Member[],
  request: ConversationKey,
  placements: Placements,
): Choice {
  const { seed, choice } = placements.find(request)
  const known = seed === undefined ? undefined : usable.find((member) => member.seed === seed)
  let home = choice === 'as found' && !isFaulty(known) ? known : undefined
  if (choice === 'as found' && seed === undefined) home = firstChoice(usable, request.prefix)
  if (home !== undefined && hasRoom(home)) return { home, now: home }
  const held = choice === 'by load' ? undefined : placements.held
  const { best, roomy } = rank(usable, request.prefix, known, held)
  return { home: home ?? best, now: roomy }
}

/** An engine that failed requests of several just now keeps no conversation to itself. */
function isFaulty(member: Member | undefined): boolean {
  return member !== undefined && member.health.faults(performance.now()) >= FAULTY_FOR
}

/** The first engine in the order of a hash, whatever the engines do at the moment. */
export function firstChoice(members: readonly Member[], prefix: number): Member | undefined {
  let first: Member | undefined
  let firstScore = -1
  for (const member of members) {
    const score = scoreOf(member, prefix)
    if (score > firstScore) [first, firstScore] = [member, score]
  }
  return first
}

/** Above it, an engine has room for the conversation and for its load. */
const WITHIN_BOUNDS = 4
const WITHIN_LOAD = 2
/** More than any score. */
const PREFERRED = 1.5

/** The best engine of all, and the best that has room now: the same if that is within bounds. */
function rank(
  members: readonly Member[],
  prefix: number,
  preferred: Member | undefined,
  held: HeldCounts | undefined,
): { best: Member | undefined; roomy: Member | undefined } {
  const nowMs = performance.now()
  const loads = members.map((member) => loadOf(member, nowMs))
  let [capacity, load, conversations] = [0, 0, 0]
  for (const [index, member] of members.entries()) {
    capacity += capacityOf(member)
    load += loads[index] ?? 0
    conversations += held?.of(member.seed) ?? 0
  }
  let [best, roomy]: [Member | undefined, Member | undefined] = [undefined, undefined]
  let [bestValue, roomyValue] = [-1, -1]
  for (const [index, member] of members.entries()) {
    const ownLoad = loads[index] ?? 0
    const share = capacity === 0 ? 1 / members.length : capacityOf(member) / capacity
    const loadMax = Math.ceil((load + 1) * share * LOAD_FACTOR)
    const isLight = ownLoad < loadMax
    const heldMax = heldMaxOf(member, (conversations + 1) * share)
    const isWithin = held === undefined || held.of(member.seed) < heldMax
    const score = member === preferred ? PREFERRED : scoreOf(member, prefix)
    let value = 1 / (1 + ownLoad / member.engine.slots)
    if (isLight) value = (isWithin ? WITHIN_BOUNDS : WITHIN_LOAD) + score
    if (value > bestValue) [best, bestValue] = [member, value]
    if (value > roomyValue && hasRoom(member)) [roomy, roomyValue] = [member, value]
  }
  return { best: roomyValue >= WITHIN_BOUNDS ? roomy : best, roomy }
}

/** An engine's cache has room for as many conversations as slots: up to it the bound is exact. */
function heldMaxOf({ engine }: Member, mean: number): number {
  return Math.ceil(mean > engine.slots ? mean * HELD_FACTOR : mean)
}

function capacityOf({ engine, weight }: Member): number {
  return engine.slots * weight
}

/** What all processes run on it, and its recent faults: one that fails fast is not idle. */
function loadOf({ lease, health }: Member, nowMs: number): number {
  return lease.leased + health.faults(nowMs)
}

/** Between 0 and 1. An engine of twice the weight has the highest score twice as often. */
function scoreOf({ seed, weight }: Member, prefix: number): number {
  const score = mix(prefix ^ seed) / HASHES
  return weight === 1 ? score : score ** (1 / weight)
}

/** The finalizer of MurmurHash3: every input bit affects every output bit. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
