import assert from 'node:assert/strict'
import type { Engine } from '../../../src/engines/adapters/engine.ts'
import { chooseEngine } from '../../../src/engines/fleet/choose-engine.ts'
import { createMember, type Member } from '../../../src/engines/fleet/member.ts'
import type {
  ConversationKey,
  Placements,
} from '../../../src/engines/fleet/placement/placements.ts'
import { createLoneHealth, leaseAll } from '../engines/lone-process.ts'

export const SLOTS = 4

type Options = { readonly slots?: number; readonly weight?: number }

/** Placement never calls an engine, so a name and slots are enough. */
export function openMember(name: string, { slots = SLOTS, weight = 1 }: Options = {}): Member {
  const lease = leaseAll(name, slots)
  return { ...createMember({ name, slots } as Engine, createLoneHealth(), lease), weight }
}

export const openMembers = (count: number, options?: Options) =>
  Array.from({ length: count }, (_, index) => openMember(`engine-${index}`, options))

/** The n-th turn of a conversation: each turn adds an answer and a question. */
export function turnOf(conversation: number, turn = 1): ConversationKey {
  const chain = Array.from({ length: 2 * turn - 1 }, (_, index) =>
    hash(conversation * 1_000 + index),
  )
  const previous = turn > 1 ? chain.at(-3) : undefined
  return { prefix: chain[0] ?? 0, chain, continues: turn > 1, previous }
}

export function hash(value: number): number {
  return Math.imul(value + 1, 0x9e3779b1) >>> 0
}

/** Sends a turn, which ends at once. */
export function send(
  placements: Placements,
  members: readonly Member[],
  request: ConversationKey,
  nowMs = 0,
): string {
  const { now } = chooseEngine(members, request, nowMs, placements)
  assert.ok(now !== undefined)
  placements.placed(request, now, members, nowMs)
  return now.engine.name
}

export function countBy(names: readonly string[]): number[] {
  return [...Map.groupBy(names, (name) => name).values()].map(({ length }) => length)
}
