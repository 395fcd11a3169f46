import assert from 'node:assert/strict'
import { findGeneration, takeTokenLimit } from './at-desk.ts'

export const STORY = 'Write a long story.'

/** Rewarding repetition keeps the model from ever ending by itself. */
export const STORY_PENALTY = -1

/** How long an engine may go on after the client left, and how long a start may take. */
const TIMEOUT_MS = 5_000

/** An engine that nobody stopped is seen at nearly all of its limit; a stopped one at a tenth. */
const PART_MAX = 0.75

/**
 * Has a client leave in the middle of a story that goes on until its token limit, and proves that
 * the engine was at work before and stopped long before the limit after. `leave` starts the story,
 * waits for the first pieces, calls `seen`, and then leaves.
 */
export async function assertStopsOnLeaving(
  leave: (tokenLimit: number, seen: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const tokenLimit = await takeTokenLimit()
  let wasBusy = false
  await leave(tokenLimit, async () => {
    wasBusy = await waitUntil(tokenLimit, ({ busy }) => busy)
  })
  assert.ok(wasBusy, 'the engine was never seen at work')
  let tokensLast = 0
  const isIdle = await waitUntil(tokenLimit, ({ busy, tokens }) => {
    tokensLast = Math.max(tokensLast, tokens)
    return !busy
  })
  assert.ok(isIdle, 'the engine still works for a client that left')
  assert.ok(tokensLast < tokenLimit * PART_MAX, `the engine went on to ${tokensLast} tokens`)
}

/** Asks the engine again and again; its answer takes as long as a few tokens. */
async function waitUntil(
  tokenLimit: number,
  isSo: (generation: { busy: boolean; tokens: number }) => boolean,
): Promise<boolean> {
  const deadline = performance.now() + TIMEOUT_MS
  while (performance.now() < deadline) {
    if (isSo(await findGeneration(tokenLimit))) return true
  }
  return false
}
